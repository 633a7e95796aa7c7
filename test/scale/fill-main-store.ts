/**
 * Fills a main store through the broker's own units of work, on its own thread, with the history of a team
 * (team-shape.ts). The same size and start give the same rows.
 */
import { createHash } from 'node:crypto';
import type { MainUnits } from '../../broker/main-store.ts';
import type { MessageStamp } from '../../broker/runtime/message-stamps.ts';
import type { Post, TeamSize } from './team-shape.ts';
import * as shape from './team-shape.ts';
import { inTurns } from './turns.ts';

export interface FillOptions {
  /** Epoch ms of the first message. */
  start: number;
  /** Called with what is about to be filled. */
  onPart: (part: string) => void;
}

type Acceptance = Parameters<MainUnits['acceptMessage']>[0];

const { manager, member, messageEveryMs } = shape;
const managers = [manager];
const noQuota = { entries: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER };
const readerOf = (name: string) => ({ name, isManager: name === manager });
const indexed = { limit: 2000, characters: 1_000_000 };

export async function fillMainStore(units: MainUnits, size: TeamSize, options: FillOptions): Promise<void> {
  const { start, onPart } = options;
  const names = shape.memberNames(size);
  let stamps = 0;
  const stamp = (): MessageStamp => {
    const ts = start + stamps * messageEveryMs;
    return { id: shape.messageId(stamps++, ts), ts, accepted_at: null };
  };
  /** The id of the newest message of each conversation that a reader is in, and what `member`'s runner handled. */
  const newestByReader = new Map([manager, member].map((name) => [name, new Map<string, string>()]));
  const handled: string[] = [];

  onPart('members and channels');
  await units.recordGeneralMembers({ members: names, at: start });
  await units.makeHomes({ members: names, at: start });
  await inTurns(channelsOf(size, start), (channel) => units.createChannel({ channel, maxChannels: null }));
  await inTurns(joinsOf(size, start), units.joinChannel);

  onPart('files');
  await inTurns(writesOf(size, start), units.commitWrite);

  onPart('objectives');
  await inTurns(creationsOf(size, stamp), units.createObjective, (created, { draft }) => {
    if (!('notices' in created) || draft.assignee !== member) return;
    handled.push(...created.notices.map(({ message }) => message.id));
  });
  await inTurns(completionsOf(size, stamp), units.moveObjective, ({ notices, objective }) => {
    for (const { message, audience } of notices)
      for (const [reader, newest] of newestByReader)
        if (audience.includes(reader)) newest.set(`obj:${objective.id}`, message.id);
  });
  await drainOutbox(units);

  onPart('messages');
  let accepted = 0;
  await inTurns(acceptancesOf(size, stamp), units.acceptMessage, (_, { message, to }) => {
    if (accepted++ >= size.messages - shape.unreadMessages) return;
    if (message.recipient === member) handled.push(message.id);
    for (const [reader, newest] of newestByReader)
      if (isIn(reader, to)) newest.set(message.scope, message.id);
  });

  onPart('what was read and handled');
  const at = start + stamps * messageEveryMs;
  for (const [name, newest] of newestByReader)
    await inTurns(newest, ([scope, upTo]) =>
      units.keepRead({ reader: readerOf(name), scope, upTo, at, managers }),
    );
  await inTurns(handled, (id) =>
    units.keepEvidence({ id, reader: readerOf(member), state: 'in_context', at, managers }),
  );

  onPart('the audit log');
  await inTurns(auditOf(size, start), units.appendAudit);

  onPart('the search index');
  for (let joined: readonly string[] = names; ; joined = [])
    if ((await units.fillIndex({ left: [], joined, ...indexed })).isComplete) return;
}

function isIn(reader: string, to: Acceptance['to']): boolean {
  switch (to.kind) {
    case 'everyone':
      return true;
    case 'members':
      return to.members.includes(reader);
    case 'channel':
      return reader === manager || shape.isInChannel(Number(to.channelId.slice(-10)));
  }
}

function* channelsOf({ channels }: TeamSize, at: number) {
  for (let number = 0; number < channels; number++)
    yield {
      id: shape.channelId(number),
      slug: `channel-${number}`,
      createdBy: manager,
      createdAt: at,
      archivedAt: null,
    };
}

function* joinsOf(size: TeamSize, at: number) {
  const by = { name: manager, permissions: ['members.manage'] as const };
  for (let number = 0; number < size.channels; number++)
    for (const joining of shape.membersOfChannel(number, size).slice(1))
      yield {
        slug: `channel-${number}`,
        by,
        member: joining,
        role: undefined,
        isKnown: true,
        at,
        audit: { ...auditEntry(at), kind: 'channel_members_changed' as const },
      };
}

function* writesOf(size: TeamSize, at: number) {
  for (let number = 0; number < size.files; number++) {
    const { owner, path } = shape.pathOf(number, size);
    yield {
      caller: { name: owner, permissions: [] },
      path,
      collide: 'suffix' as const,
      quota: noQuota,
      content: { hash: createHash('sha256').update(path).digest('hex'), size: 100, mimeType: 'text/plain' },
      at,
      audit: { ...auditEntry(at), kind: 'files_overwritten' as const },
    };
  }
}

type Stamp = () => MessageStamp;

/** Every third objective is `member`'s. */
const assigneeOf = (number: number, { members }: TeamSize): string =>
  number % 3 === 0 ? member : shape.memberName(2 + (number % (members - 2)));

function* creationsOf(size: TeamSize, stamp: Stamp) {
  for (let number = 0; number < size.objectives; number++)
    yield {
      actor: { name: manager, permissions: ['members.manage'] as const, isAgent: false },
      managers,
      unknown: [],
      stamps: [stamp()],
      draft: {
        id: shape.objectiveId(number),
        title: `objective ${number}`,
        outcome: 'it is proven',
        body: shape.bodyOf(number, size.body),
        assignee: assigneeOf(number, size),
        originator: manager,
        watchers: [],
        attachments: [],
      },
      answerKey: null,
    };
}

function* completionsOf(size: TeamSize, stamp: Stamp) {
  for (let number = 0; number < size.objectives - shape.openObjectives; number++)
    yield {
      id: shape.objectiveId(number),
      move: { kind: 'complete' as const, result: 'it is done' },
      actor: { name: assigneeOf(number, size), permissions: [], isAgent: false },
      managers,
      unknown: [],
      stamps: [stamp()],
    };
}

/** `size.messages` all in all; the first ones share files. */
function* acceptancesOf(size: TeamSize, stamp: Stamp): Generator<Acceptance> {
  let shares = 0;
  for (const { file, post } of shape.sharesOf(size))
    yield acceptanceOf(post, shares++, size, stamp(), shape.pathOf(file, size).path);
  for (let number = 0; number < size.messages - shares; number++)
    yield acceptanceOf(shape.postOf(number, size), number, size, stamp(), null);
}

function acceptanceOf(
  post: Post,
  number: number,
  size: TeamSize,
  stamp: MessageStamp,
  file: string | null,
): Acceptance {
  const { from } = post;
  const { scope, audience, to } = addressOf(post, size);
  const permissions = from === manager ? (['members.manage'] as const) : [];
  return {
    message: {
      ...stamp,
      sender: from,
      recipient: post.kind === 'direct' ? post.to : null,
      scope,
      title: null,
      body: shape.bodyOf(number, size.body),
      level: 'info',
      data: '{}',
      attachments: JSON.stringify(file === null ? [] : [file]),
      in_reply_to: null,
      auto: 0,
      agent_hops: null,
    },
    author: { kind: 'person' },
    reader: readerOf(from),
    managers,
    to,
    answerKey: null,
    attached: file === null ? null : { paths: [file], permissions, audience },
  };
}

function addressOf(post: Post, size: TeamSize): { scope: string; audience: string; to: Acceptance['to'] } {
  switch (post.kind) {
    case 'general':
      return { scope: 'general', audience: 'general', to: { kind: 'everyone', targets: size.members - 1 } };
    case 'channel': {
      const channelId = shape.channelId(post.number);
      const scope = `chan:${channelId}`;
      const joined = shape.membersOfChannel(post.number, size).length;
      // Each of them increased the version, and so the answer need not name them.
      return {
        scope,
        audience: scope,
        to: { kind: 'channel', channelId, known: { version: joined + 1, size: joined } },
      };
    }
    case 'direct': {
      const members = [post.from, post.to];
      const scope = `dm:${members.toSorted().join(':')}`;
      return { scope, audience: `to:${post.to}`, to: { kind: 'members', members, targets: 1 } };
    }
  }
}

const auditEntry = (at: number) => ({
  at,
  via: 'request' as const,
  member: manager,
  credential: null,
  address: '127.0.0.1',
  subject: null,
  before: null,
  after: null,
});

/** A record per objective; every tenth one is of a kind of its own. */
function* auditOf({ objectives }: TeamSize, at: number) {
  for (let number = 0; number < objectives; number++) {
    const kind = number % 10 === 0 ? ('logout' as const) : ('login' as const);
    yield { ...auditEntry(at + number), kind, subject: member };
  }
}

/** Removes the news for the activity store: that objectives were opened and closed. */
async function drainOutbox(units: MainUnits): Promise<void> {
  for (;;) {
    const last = (await units.outboxOldest()).at(-1);
    if (last === undefined) return;
    await units.outboxRemoveUpTo({ id: last.id });
  }
}
