/**
 * The argument of each call of the bridge. A call with an argument of another form is refused before its
 * handler runs.
 */
import { z } from 'zod';
import { limits } from '#protocol/limits.ts';
import { AgentKind } from './agents/agent-kinds.ts';
import { type ArgumentOf, type CallName, maxPartBytes } from './bridge.ts';

const Nothing = z.null();
const FeedNumber = z.int().nonnegative();
const UploadNumber = z.int().nonnegative();
const Part = z
  .instanceof(Uint8Array)
  .refine(({ length }) => length <= maxPartBytes, `a part holds at most ${maxPartBytes} bytes`);
const Url = z.string().max(8192);
/** The id of a run, a folder, or a program. */
const Id = z.uuid();

const maxAgentArguments = 32;

/** A model address appears on a command line, so it must not contain a user name or a password. */
const ModelUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((text) => {
    // Also runs for text that is no URL, which the check above refuses.
    const url = URL.parse(text);
    return url === null || (url.username === '' && url.password === '');
  }, 'a model address must not contain a user name or a password; set them in the agent’s own settings');

const AgentStart = z.strictObject({
  member: z.string().min(1).max(limits.memberName),
  kind: AgentKind,
  folder: Id,
  program: Id.nullable(),
  args: z
    .array(
      z
        .string()
        .max(1024)
        .regex(/^[^\0]*$/),
    )
    .max(maxAgentArguments),
  isUnattended: z.boolean(),
  modelUrl: ModelUrl.nullable(),
});

const line = (max: number) => z.string().min(1).max(max);
const Database = z.strictObject({
  url: line(2048),
  name: line(64).nullable(),
  address: line(300).nullable(),
});
const Join = Database.extend({ key: line(64) });
const PageCommand = z.strictObject({
  id: line(64),
  title: line(80),
  group: line(32),
  keys: line(16).nullable(),
});

export const bridgeSchemas: { [Name in CallName]: z.ZodType<ArgumentOf<Name>> } = {
  request: z.strictObject({
    method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
    url: Url,
    headers: z.record(z.string().max(128), z.string().max(8192)),
    body: z.union([z.string(), z.instanceof(Uint8Array)]).optional(),
  }),
  openFeed: z.strictObject({ feed: FeedNumber, url: Url }),
  closeFeed: FeedNumber,
  openUpload: z.strictObject({ upload: UploadNumber, url: Url }),
  sendUpload: z.strictObject({ upload: UploadNumber, bytes: Part }),
  endUpload: UploadNumber,
  stopUpload: UploadNumber,
  tellCommands: z.array(PageCommand).max(100),
  agentKinds: Nothing,
  chooseAgentFolder: Nothing,
  chooseAgentProgram: Nothing,
  listAgents: Nothing,
  startAgent: AgentStart,
  stopAgent: Id,
  restartAgent: Id,
  takeOverAgent: Id,
  removeAgent: Id,
  followAgent: Id,
  lanState: Nothing,
  turnLanOn: Nothing,
  turnLanOff: Nothing,
  standbyState: Nothing,
  databaseState: Nothing,
  testDatabase: Database,
  nameDatabase: Database,
  leaveDatabase: Nothing,
  joinObstacle: Nothing,
  testJoin: Join,
  joinTeam: Join,
  backupState: Nothing,
  chooseBackupFolder: Nothing,
  setDailyBackup: z.boolean(),
  backUpNow: Nothing,
  keyState: Nothing,
  exportKey: Nothing,
};
