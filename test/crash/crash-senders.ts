/**
 * Members who post at the same time until the broker is gone, and later repeat with its key what was not
 * acknowledged.
 */
import { createClient } from '#protocol/client.ts';
import type { Message } from '#protocol/message.ts';
import type { Attempt, CrashModel } from './crash-model.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { ServedBroker } from './served-broker.ts';

/** The broker went away before it answered. */
const gone = Symbol('gone');

/**
 * Sends one push. Resolves with the message of the 200 response. @throws for every other response, because
 * none is expected.
 */
async function post(broker: ServedBroker, { from, to, body, key }: Attempt): Promise<Message | typeof gone> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${broker.url}/push`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${broker.token(from)}`,
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
      },
      body: JSON.stringify({ body, ...(to !== null && { to }) }),
    });
    text = await response.text();
    status = response.status;
  } catch {
    return gone;
  }
  if (status !== 200) throw new Error(`a push was answered ${status}: ${text}`);
  return JSON.parse(text).message;
}

export interface SendersOptions {
  broker: ServedBroker;
  model: CrashModel;
  random: SeededRandom;
  members: readonly string[];
  count: number;
}

/** Runs until every sender has found the broker gone. */
export async function sendUntilGone({
  broker,
  model,
  random,
  members,
  count,
}: SendersOptions): Promise<void> {
  async function send(attempt: Attempt): Promise<boolean> {
    const answer = await post(broker, attempt);
    if (answer === gone) return false;
    model.acknowledge(attempt, answer);
    return true;
  }

  function next(): Attempt {
    const from = random.pick(members);
    const to = random.chance(0.5) ? null : random.pick(members);
    const name = `message ${model.attempts.length}`;
    // Sometimes a large one, so that the log is checkpointed into the database in some of the rounds.
    const body = random.chance(0.1) ? name.padEnd(random.below(60_000), '.') : name;
    return model.attempt(from, to, body, random.chance(0.4) ? `key-${model.attempts.length}` : null);
  }

  async function sender(): Promise<void> {
    for (;;) {
      const attempt = next();
      // A second request in flight waits for the first, and a repeat of an answered one is answered again.
      const twins = attempt.key !== null && random.chance(0.2) ? [attempt, attempt] : [attempt];
      if (!(await Promise.all(twins.map(send))).every(Boolean)) return;
      if (attempt.key !== null && random.chance(0.1) && !(await send(attempt))) return;
    }
  }
  await Promise.all(Array.from({ length: count }, sender));
}

/** Sends again what has a key and no answer. All of it must be answered now. */
export async function repeatUnanswered(broker: ServedBroker, model: CrashModel): Promise<number> {
  const unanswered = model.unanswered();
  await Promise.all(
    unanswered.map(async (attempt) => {
      const answer = await post(broker, attempt);
      if (answer === gone) throw new Error('the broker went away by itself');
      model.acknowledge(attempt, answer);
    }),
  );
  return unanswered.length;
}

/** One list of a member's history, newest first, across all pages. */
export async function wholeHistory(
  broker: Pick<ServedBroker, 'url' | 'token'>,
  member: string,
  other: string | null,
): Promise<Message[]> {
  const client = createClient(({ url, ...init }) =>
    fetch(broker.url + url, {
      ...init,
      headers: {
        ...(init.headers as Record<string, string>),
        authorization: `Bearer ${broker.token(member)}`,
      },
    }),
  );
  const all: Message[] = [];
  for (;;) {
    const last = all.at(-1);
    const { messages } = await client.call('history', {
      query: {
        limit: '500',
        ...(other !== null && { with: other }),
        ...(last !== undefined && { before: String(last.ts), beforeId: last.id }),
      },
    });
    if (messages.length === 0) return all;
    all.push(...messages);
  }
}
