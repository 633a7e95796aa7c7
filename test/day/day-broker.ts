/**
 * The real broker of the day: steps as requests, the members' streams, and the ids that the broker gave to
 * what the model names.
 */
import { Agent, request } from 'node:http';
import type { ServedBroker } from '../crash/served-broker.ts';
import { createDayReader, type DayReader, type WireMessage } from './day-reader.ts';
import type { Day } from './day-state.ts';
import type { Outcome, Step } from './day-step.ts';
import type { Post } from './people-model.ts';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered; the comparison says what is wrong with it.
  body: any;
}

/** A step that is one request and whose answer tells no new id. */
export type RequestedStep = Exclude<Step, { kind: 'addMember' | 'goOffline' | 'create' | 'createChannel' }>;

export interface DayBroker {
  request(by: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /**
   * Sends the one request of a step, a post with the idempotency key. @throws the network's error if the
   * broker is gone.
   */
  attempt(step: RequestedStep, key?: string): Promise<Answer>;
  /** @throws the network's error if the broker is gone. */
  perform(step: Step): Promise<Outcome>;
  reader(name: string): DayReader;
  /** Learns the ids of what exists, and gets a token for a member whose own was lost in transit. */
  learn(day: Day): Promise<void>;
  /** A scope of the model as the API names it: `general`, `chan:<id>`, and so on. */
  apiScope(by: string, scope: string): string;
  modelScope(by: string, scope: string): string;
  channelId(key: string): string;
  objectiveId(key: string): string;
  objectiveKey(id: string): string;
  messageId(label: string): string;
  /** The label of a message, learned with its id. */
  labelOf(message: WireMessage): string;
  labelOfId(id: string): string;
  close(): void;
}

/** Connections for requests; streams have their own. */
export const maxSockets = 64;

/** The message that the answer of a post tells; null if it was refused, and for other steps. */
export function messageOf({ kind }: Step, { status, body }: Answer): WireMessage | null {
  if (status !== 200) return null;
  if (kind === 'push' || kind === 'comeBack') return body.message;
  return kind === 'discuss' ? body : null;
}

/** Stands for an id that was never learned: the broker answers that there is no such thing. */
const nothing = {
  channel: 'ch_0000000000',
  objective: 'obj_0000000000',
  message: '00000000-0000-7000-8000-000000000000',
};

const query = (values: Record<string, string>): string => new URLSearchParams(values).toString();

interface Received {
  status: number;
  type: string;
  text: string;
}

export function createDayBroker(broker: Pick<ServedBroker, 'url' | 'token'>): DayBroker {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const tokens = new Map<string, string>();
  const readers = new Map<string, DayReader>();
  const channelIds = new Map<string, string>();
  const objectiveIds = new Map<string, string>();
  const objectiveKeys = new Map<string, string>();
  const messageIds = new Map<string, string>();
  const labels = new Map<string, string>();
  const slugs = new Map<string, string>();

  const token = (name: string): string => tokens.get(name) ?? broker.token(name);

  async function send(
    by: string | null,
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Answer> {
    const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    const { status, type, text } = await new Promise<Received>((resolve, reject) => {
      const headers = {
        ...(by !== null && { authorization: `Bearer ${token(by)}` }),
        ...(body !== undefined && { 'content-type': body === bytes ? 'text/plain' : 'application/json' }),
        'content-length': bytes?.length ?? 0,
        ...(key !== undefined && { 'idempotency-key': key }),
      };
      const call = request(broker.url + path, { method, headers, agent }, (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          received += chunk;
        });
        response.on('error', reject).on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            text: received,
          }),
        );
      });
      call.on('error', reject).end(bytes);
    });
    const isJson = type.startsWith('application/json') && !path.startsWith('/fs/read') && text !== '';
    return { status, body: isJson ? JSON.parse(text) : text };
  }

  const channelId = (key: string): string => channelIds.get(key) ?? nothing.channel;
  const objectiveId = (key: string): string => objectiveIds.get(key) ?? nothing.objective;
  const messageId = (label: string): string => messageIds.get(label) ?? nothing.message;

  function labelOf({ id, body, data }: WireMessage): string {
    const { event } = data;
    const label =
      event === undefined
        ? (body.split(' ')[0] ?? '')
        : `${objectiveKeys.get(event.objectiveId) ?? event.objectiveId}#${event.seq}`;
    messageIds.set(label, id);
    labels.set(id, label);
    return label;
  }

  function knowObjective(id: string, title: string): void {
    objectiveIds.set(title, id);
    objectiveKeys.set(id, title);
  }

  function apiScope(by: string, scope: string): string {
    const [kind, a = '', b = ''] = scope.split(':');
    if (kind === 'dm') return `dm:${a === by ? b : a}`;
    if (kind === 'chan') return `chan:${channelId(a)}`;
    return kind === 'obj' ? `obj:${objectiveId(a)}` : scope;
  }

  function modelScope(by: string, scope: string): string {
    const [kind, id = ''] = scope.split(':');
    if (kind === 'dm') return `dm:${[by, id].sort().join(':')}`;
    if (kind === 'chan') return `chan:${[...channelIds].find(([, one]) => one === id)?.[0]}`;
    return kind === 'obj' ? `obj:${objectiveKeys.get(id)}` : scope;
  }

  const textOf = ({ label, words, mentions, padding = 0 }: Post): string => {
    const text = [label, ...words, ...mentions.map((name) => `@${name}`)].join(' ');
    return padding === 0 ? text : `${text} ${'.'.repeat(padding)}`;
  };

  const rawPermissions = (level: string): string[] => (level === 'none' ? [] : [level]);

  /** With a token of the device's own, or with the token that the reply shows once. */
  async function addMember({ by, name, level, isEnrolled }: Step & { kind: 'addMember' }): Promise<Answer> {
    const newcomer = { role: { title: name }, permissions: rawPermissions(level) };
    if (!isEnrolled) {
      const made = await send(by, 'POST', '/members', { name, ...newcomer });
      if (made.status === 201) tokens.set(name, made.body.token);
      return made;
    }
    const { body: codes } = await send(null, 'POST', '/enroll', { labelHint: name });
    const { userCode } = codes;
    const approval = { mode: 'create', userCode, memberName: name, ...newcomer };
    const approved = await send(by, 'POST', '/enroll/approve', approval);
    const { body } = await send(null, 'POST', '/enroll/poll', { deviceCode: codes.deviceCode });
    if (body.token !== undefined) tokens.set(name, body.token);
    return approved;
  }

  function attempt(step: RequestedStep, key?: string): Promise<Answer> {
    const { by } = step;
    const objective = (key: string, rest = ''): string => `/objectives/${objectiveId(key)}${rest}`;
    const channel = (key: string, rest = ''): string => `/channels/${slugs.get(key) ?? 'nowhere'}${rest}`;
    switch (step.kind) {
      case 'push': {
        const { to, attachments } = step;
        const data = step.channel === null ? {} : { data: { thread: `chan:${channelId(step.channel)}` } };
        const causes = step.causes && { causes: step.causes.map(messageId) };
        return send(by, 'POST', '/push', { to, body: textOf(step), attachments, ...data, ...causes }, key);
      }
      case 'comeBack':
        return send(by, 'POST', '/push', { to: by, body: step.label });
      case 'join':
        return send(by, 'POST', channel(step.channel, '/members'), { member: step.member, role: step.role });
      case 'leave':
        return send(by, 'DELETE', channel(step.channel, `/members/${step.member}`));
      case 'rename':
        return send(by, 'PATCH', channel(step.channel), { slug: step.slug });
      case 'archive':
        return send(by, 'DELETE', channel(step.channel));
      case 'setLevel':
        return send(by, 'PATCH', `/members/${step.name}`, { permissions: rawPermissions(step.level) });
      case 'removeMember':
        return send(by, 'DELETE', `/members/${step.name}`);
      case 'block':
        return send(by, 'PATCH', objective(step.objective), { status: 'blocked', blockReason: step.reason });
      case 'unblock':
        return send(by, 'PATCH', objective(step.objective), { status: 'active' });
      case 'complete':
        return send(by, 'POST', objective(step.objective, '/complete'), { result: step.result });
      case 'cancel':
        return send(by, 'POST', objective(step.objective, '/cancel'), { reason: step.reason });
      case 'reassign':
        return send(by, 'POST', objective(step.objective, '/reassign'), { to: step.to, note: step.note });
      case 'watch':
        return send(by, 'PATCH', objective(step.objective, '/watchers'), {
          add: step.add,
          remove: step.remove,
        });
      case 'discuss':
        return send(
          by,
          'POST',
          objective(step.objective, '/discuss'),
          { body: textOf(step), attachments: step.attachments },
          key,
        );
      case 'write':
        return send(
          by,
          'POST',
          `/fs/write?${query({ path: step.path, collide: step.collide })}`,
          Buffer.from(step.body),
        );
      case 'move':
        return send(by, 'POST', '/fs/mv', { from: step.from, to: step.to });
      case 'remove':
        return send(by, 'DELETE', `/fs/rm?${query({ path: step.path, recursive: String(step.recursive) })}`);
      case 'read':
        return send(by, 'POST', '/messages/read', {
          scope: apiScope(by, step.scope),
          upTo: messageId(step.upTo),
        });
      case 'evidence':
        return send(by, 'POST', `/messages/${messageId(step.label)}/receipt`, {
          state: 'accepted',
          at: Date.now(),
        });
    }
  }

  return {
    request: (by, method, path, body) => send(by, method, path, body),
    attempt,
    channelId,
    objectiveId,
    messageId,
    labelOf,
    apiScope,
    modelScope,
    objectiveKey: (id) => objectiveKeys.get(id) ?? id,
    labelOfId: (id) => labels.get(id) ?? id,
    reader(name) {
      const known = readers.get(name);
      if (known !== undefined) return known;
      const reader = createDayReader(
        () => broker.url,
        name,
        () => token(name),
      );
      readers.set(name, reader);
      return reader;
    },
    async perform(step) {
      switch (step.kind) {
        case 'goOffline':
          this.reader(step.by).disconnect();
          return { status: 0 };
        case 'addMember':
          return { status: (await addMember(step)).status };
        case 'createChannel': {
          const { status, body } = await send(step.by, 'POST', '/channels', { slug: step.slug });
          if (status === 201) channelIds.set(step.key, body.id);
          return { status };
        }
        case 'create': {
          const { by, key, word, assignee, watchers, attachments } = step;
          const request = { title: key, outcome: `${word} is proven`, assignee, watchers, attachments };
          const { status, body } = await send(by, 'POST', '/objectives', request);
          if (status === 201) knowObjective(body.id, key);
          return { status };
        }
        default: {
          const { status, body } = await attempt(step);
          const message = messageOf(step, { status, body });
          if (message !== null) labelOf(message);
          if (step.kind === 'write' && status === 200) return { status, path: body.entry.path };
          return { status };
        }
      }
    },
    async learn(day) {
      slugs.clear();
      for (const { key, slug } of day.channels.values()) slugs.set(key, slug);
      const { body } = await send('ada', 'GET', '/channels');
      for (const { id, slug } of body.channels) {
        const key = [...day.channels.values()].find((one) => one.slug === slug)?.key;
        if (key !== undefined) channelIds.set(key, id);
      }
      const { objectives } = (await send('ada', 'GET', '/objectives')).body;
      for (const { id, title } of objectives) knowObjective(id, title);
      for (const name of day.members.keys()) {
        if (token(name) !== '') continue;
        const rotated = await send('ada', 'POST', `/members/${name}/rotate-token`);
        if (rotated.status === 200) tokens.set(name, rotated.body.token);
      }
    },
    close() {
      agent.destroy();
      for (const reader of readers.values()) reader.disconnect();
    },
  };
}
