/**
 * Announces the resources that each operation changes (specification/streams.md#news): after a success, everyone
 * who may read the resource and listens for all events is told to fetch it again. It is one table, so that a new
 * operation needs one row.
 */

import type { OperationId, Reply } from '#protocol/operations.ts';
import type { ChangeFrame } from '#protocol/stream.ts';
import { JsonReply } from '../../http/json-reply.ts';
import type { Audience } from '../../http/live-stream.ts';
import type { Call, Handler, Handlers } from '../../http/route.ts';
import type { Actor } from '../../runtime/actor.ts';

export type Resource = ChangeFrame['resource'];

export interface ChangeNews {
  /** Without an audience, everything that everybody in the team may read. */
  announce(resource: Resource, id: string, audience: Audience): void;
  managers(): string[];
  /** Whether an authenticator makes the member a person (specification/members.md#kinds). */
  hasRun(name: string): boolean;
  /** Returns the members who may read a file at this moment. */
  fileReaders(path: string): Promise<string[]>;
  /** Also returns those who may read anything below a directory, if the actor may remove it. */
  fileReadersWithin(actor: Actor, path: string): Promise<string[]>;
}

type Announcer<Id extends OperationId> = (call: Call<Id>, reply: Reply<Id>) => void | Promise<void>;
type Announcers = { [Id in OperationId]?: Announcer<Id> };

function announcers({ announce, managers, hasRun, fileReaders }: ChangeNews): Announcers {
  const member = (name: string) => announce('member', name, 'everyone');
  /** Announces what only the member itself and managers may read: its tokens, and whether it has an authenticator. */
  const credentials = (name: string) => announce('member', name, [...new Set([name, ...managers()])]);
  const enrollment = (userCode: string) => announce('enrollment', userCode, managers());
  const objective = (id: string) => announce('objective', id, 'everyone');
  const file = async (path: string) => announce('file', path, await fileReaders(path));
  return {
    createMember: (_, { member: { name } }) => member(name),
    updateMember: ({ params }) => member(params.name),
    deleteMember: ({ params }) => member(params.name),
    setMemberKind: ({ params }) => member(params.name),
    enrollTotp: ({ params: { name } }) => (hasRun(name) ? member(name) : credentials(name)),
    rotateToken: ({ params }) => credentials(params.name),
    revokeToken: ({ params }) => credentials(params.name),
    endSession: ({ actor, query }) => credentials(query.member ?? actor.name),
    endSessions: ({ actor, query }) => credentials(query.member ?? actor.name),
    // Its runner renews the lease at once, and hears of it.
    stopRun: ({ params: { name } }) => announce('member', name, [name]),
    interruptRun: ({ params: { name } }) => announce('member', name, [name]),
    createRunToken: ({ params }) => credentials(params.name),
    updateTeam: (_, { name }) => announce('team', name, 'everyone'),
    enroll: (_, { userCode }) => enrollment(userCode),
    rejectEnrollment: ({ body }) => enrollment(body.userCode),
    approveEnrollment: ({ body }) => {
      enrollment(body.userCode);
      if (body.mode === 'create') member(body.memberName);
      else credentials(body.memberName);
    },
    createObjective: (_, { id }) => objective(id),
    updateObjective: ({ params }) => objective(params.id),
    completeObjective: ({ params }) => objective(params.id),
    cancelObjective: ({ params }) => objective(params.id),
    reassignObjective: ({ params }) => objective(params.id),
    updateWatchers: ({ params }) => objective(params.id),
    writeFile: (_, { entry }) => file(entry.path),
    makeDirectory: (_, { entry }) => file(entry.path),
    moveFile: (_, { entry }) => file(entry.path),
  };
}

interface Vanishing {
  path: string;
  readers: Promise<string[]>;
}
type Vanishings = { [Id in OperationId]?: (call: Call<Id>) => Vanishing };

/**
 * The paths that operations remove or move; their readers are determined before the operation. A removed directory has one
 * frame with its own path, which whoever reads a file in it knows. Only single files move.
 */
const vanishings = ({ fileReaders, fileReadersWithin }: ChangeNews): Vanishings => ({
  removeFile: ({ actor, query: { path, recursive } }) => ({
    path,
    readers: recursive ? fileReadersWithin(actor, path) : fileReaders(path),
  }),
  moveFile: ({ body: { from } }) => ({ path: from, readers: fileReaders(from) }),
});

/**
 * Returns the same handlers, which announce their changes after a success. A failed announcement is logged
 * and never refused, because the change is done.
 */
export function announceChanges(
  handlers: Handlers,
  news: ChangeNews,
  onError: (error: unknown) => void,
): Handlers {
  const tellById = announcers(news);
  const vanishingById = vanishings(news);
  const told: Handlers = { ...handlers };

  function wrap<Id extends OperationId>(id: Id, handle: Handler<Id>): Handler<Id> {
    const tell = tellById[id] as Announcer<Id> | undefined;
    const vanishingOf = vanishingById[id] as ((call: Call<Id>) => Vanishing) | undefined;
    return (async (call: Call<Id>) => {
      const vanishing = vanishingOf?.(call);
      const readers = (await vanishing?.readers.catch(() => [])) ?? [];
      const reply = await handle(call);
      if (vanishing !== undefined) news.announce('file', vanishing.path, readers);
      const spoken =
        reply instanceof JsonReply && typeof reply.content === 'string'
          ? (JSON.parse(reply.content) as Reply<Id>)
          : reply;
      Promise.resolve(tell?.(call, spoken as Reply<Id>)).catch(onError);
      return reply;
    }) as Handler<Id>;
  }

  for (const id of Object.keys(handlers) as OperationId[]) {
    const handle = handlers[id];
    if (handle === undefined || !(id in tellById || id in vanishingById)) continue;
    Object.assign(told, { [id]: wrap(id, handle as Handler<OperationId>) });
  }
  return told;
}
