import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import { mintVapidKeys } from './security/vapid.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

/**
 * The status that each persona gets, written by hand. anonymous: no credential; outsider: a credential that
 * nobody has; self: the member that the request names; other: another member without permissions; manager:
 * holds members.manage. The named channel is ben's, and he is its only admin; its rows follow its life. Each
 * objective is a new one that ora assigned to ben.
 */
const golden: Record<OperationId, Record<Persona, number>> = {
  health: { anonymous: 200, outsider: 200, self: 200, other: 200, manager: 200 },
  ready: { anonymous: 200, outsider: 200, self: 200, other: 200, manager: 200 },
  setUp: { anonymous: 409, outsider: 409, self: 409, other: 409, manager: 409 },
  proposeAuthenticator: { anonymous: 409, outsider: 409, self: 409, other: 409, manager: 409 },
  openapi: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  briefing: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  roster: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  push: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  subscribe: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  historyWindow: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  history: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  logIn: { anonymous: 401, outsider: 401, self: 401, other: 401, manager: 401 },
  logInByLink: { anonymous: 401, outsider: 401, self: 401, other: 401, manager: 401 },
  createConsoleLink: { anonymous: 401, outsider: 401, self: 201, other: 201, manager: 201 },
  session: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  logOut: { anonymous: 401, outsider: 401, self: 204, other: 204, manager: 204 },
  members: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  createMember: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 201 },
  updateMember: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  deleteMember: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 204 },
  rotateToken: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  tokens: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  devices: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  openSessions: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  revokeToken: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  proposeTotp: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  enrollTotp: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  team: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  updateTeam: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 403 },
  channels: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  createChannel: { anonymous: 401, outsider: 401, self: 409, other: 409, manager: 409 },
  channel: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  joinChannel: { anonymous: 401, outsider: 401, self: 204, other: 403, manager: 204 },
  renameChannel: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  archiveChannel: { anonymous: 401, outsider: 401, self: 204, other: 403, manager: 204 },
  leaveChannel: { anonymous: 401, outsider: 401, self: 204, other: 403, manager: 404 },
  objectives: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  createObjective: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 403 },
  objective: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  updateObjective: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  completeObjective: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  cancelObjective: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 403 },
  reassignObjective: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  discussObjective: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  updateWatchers: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 403 },
  listFiles: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  statFile: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  readFile: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  writeFile: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  makeDirectory: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  removeFile: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  moveFile: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  sharedFiles: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  findFiles: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  fileGrants: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  addresses: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  reportBusy: { anonymous: 401, outsider: 401, self: 204, other: 204, manager: 204 },
  reportModel: { anonymous: 401, outsider: 401, self: 204, other: 204, manager: 204 },
  vapidPublicKey: { anonymous: 200, outsider: 200, self: 200, other: 200, manager: 200 },
  subscribePush: { anonymous: 401, outsider: 401, self: 201, other: 201, manager: 201 },
  unsubscribePush: { anonymous: 401, outsider: 401, self: 404, other: 404, manager: 404 },
  enroll: { anonymous: 200, outsider: 200, self: 200, other: 200, manager: 200 },
  pollEnrollment: { anonymous: 400, outsider: 400, self: 400, other: 400, manager: 400 },
  pendingEnrollments: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  approveEnrollment: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 404 },
  rejectEnrollment: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 404 },
  enrollmentHistory: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  bindPlatform: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 403 },
  uploadActivity: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  activityRange: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  activityStream: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  activityRow: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 403 },
  activitySummaries: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  activityTranscript: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  teamActivity: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  summaryStream: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  activityUsage: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  diagnostics: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  search: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  inbox: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  attention: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  markAttention: { anonymous: 401, outsider: 401, self: 204, other: 204, manager: 204 },
  unmarkAttention: { anonymous: 401, outsider: 401, self: 204, other: 204, manager: 204 },
  editMessage: { anonymous: 401, outsider: 401, self: 200, other: 404, manager: 404 },
  deleteMessage: { anonymous: 401, outsider: 401, self: 200, other: 404, manager: 404 },
  memberKinds: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  setMemberKind: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  unreadMarks: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  markUnread: { anonymous: 401, outsider: 401, self: 204, other: 404, manager: 404 },
  unread: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  waiting: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  reportRead: { anonymous: 401, outsider: 401, self: 204, other: 404, manager: 404 },
  reportEvidence: { anonymous: 401, outsider: 401, self: 204, other: 403, manager: 403 },
  receipts: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  pushSubscriptions: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  loginFailures: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  sessions: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 200 },
  endSession: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  endSessions: { anonymous: 401, outsider: 401, self: 204, other: 403, manager: 204 },
  lookUpPlatform: { anonymous: 404, outsider: 404, self: 404, other: 404, manager: 404 },
  runs: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  takeRun: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  renewRun: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  endRun: { anonymous: 401, outsider: 401, self: 204, other: 204, manager: 204 },
  stopRun: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  interruptRun: { anonymous: 401, outsider: 401, self: 404, other: 403, manager: 404 },
  createRunToken: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 201 },
  heldPosts: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  releaseHeld: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 404 },
  audit: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  acknowledgeAuditCut: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 404 },
  retention: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  updateRetention: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  runRetention: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 200 },
  dropHeld: { anonymous: 401, outsider: 401, self: 403, other: 403, manager: 404 },
};

type Persona = 'anonymous' | 'outsider' | 'self' | 'other' | 'manager';
const memberOf: Record<Persona, string | null> = {
  anonymous: null,
  outsider: 'nobody',
  self: 'ben',
  other: 'dan',
  manager: 'ada',
};

const vapid = mintVapidKeys();
const runId = crypto.randomUUID();

/**
 * A request of each operation that is correct in itself. It names ben, or `named`, where it names a member.
 */
const requests: Partial<
  Record<OperationId, { query?: string; body?: unknown; id?: string; named?: string }>
> = {
  setUp: { body: { team: { name: 'T' }, admin: { name: 'eve', role: { title: 'Boss' } } } },
  proposeAuthenticator: { body: { team: { name: 'T' }, admin: { name: 'eve', role: { title: 'Boss' } } } },
  push: { body: { to: 'ben', body: 'x' } },
  subscribe: { query: '?name=ben' },
  logIn: { body: { code: '000000' } },
  logInByLink: { body: { code: 'no-such-code' } },
  createMember: { body: { name: 'gil', role: { title: 'New' }, permissions: [] } },
  updateMember: { body: {} },
  // Each of these ends the credentials of a member that no other row needs.
  deleteMember: { named: 'eli' },
  rotateToken: { named: 'finn' },
  updateTeam: { body: { brief: 'x' } },
  createChannel: { body: { slug: 'ops' } },
  renameChannel: { body: { slug: 'ops' } },
  joinChannel: { body: { member: 'ben' } },
  createObjective: { body: { title: 'x', outcome: 'y', assignee: 'ben' } },
  objective: { id: '<objective>' },
  updateObjective: { id: '<objective>', body: { status: 'blocked', blockReason: 'x' } },
  completeObjective: { id: '<objective>', body: { result: 'x' } },
  cancelObjective: { id: '<objective>', body: {} },
  reassignObjective: { id: '<objective>', body: { to: 'dan' } },
  discussObjective: { id: '<objective>', body: { body: 'x' } },
  updateWatchers: { id: '<objective>', body: { add: ['dan'] } },
  listFiles: { query: '?path=/ben' },
  statFile: { query: '?path=/ben/none' },
  writeFile: { query: '?path=/ben/x&collide=overwrite', body: {} },
  makeDirectory: { body: { path: '/ben/d', recursive: true } },
  removeFile: { query: '?path=/ben/none' },
  moveFile: { body: { from: '/ben/none', to: '/ben/other' } },
  fileGrants: { query: '?path=/ben/none' },
  reportBusy: { body: { busy: true } },
  reportModel: { body: { state: 'working' } },
  subscribePush: {
    body: { endpoint: 'https://push.example/x', keys: { p256dh: vapid.publicKey, auth: 'a'.repeat(22) } },
  },
  enroll: { body: {} },
  pollEnrollment: { body: { deviceCode: 'x' } },
  approveEnrollment: { body: { mode: 'bind', userCode: 'BCDF-GHJK', memberName: 'ben' } },
  rejectEnrollment: { body: { userCode: 'BCDF-GHJK' } },
  bindPlatform: { body: { pairingCode: 'x'.repeat(22), platformUrl: 'https://platform.example' } },
  uploadActivity: { body: { events: [{ kind: 'objective_open', ts: 1, objectiveId: 'obj_0123456789' }] } },
  activityRow: { id: '4711' },
  teamActivity: { query: '?member=ben' },
  summaryStream: { query: '?member=ben' },
  activityUsage: { query: '?member=ben' },
  search: { query: '?q=note' },
  findFiles: { query: '?q=note' },
  historyWindow: { query: '?around=00000000-0000-7000-8000-000000000000' },
  editMessage: { id: '<note>', body: { body: 'another text' } },
  deleteMessage: { id: '<note>' },
  markAttention: { body: { item: 'something', until: null } },
  unmarkAttention: { query: '?item=something' },
  setMemberKind: { body: { kind: 'agent' } },
  unreadMarks: { query: '?scope=dm:ben' },
  markUnread: { body: { scope: 'dm:ben', from: '<note>' } },
  reportRead: { body: { scope: 'dm:ben', upTo: '<note>' } },
  reportEvidence: { id: '<note>', body: { state: 'accepted', at: 1 } },
  receipts: { id: '<note>' },
  lookUpPlatform: { query: '?code=x' },
  sessions: { query: '?member=ben' },
  endSession: { query: '?member=ben' },
  endSessions: { query: '?member=ben' },
  takeRun: { body: { runId, host: 'h', agent: 'a', takeOver: true } },
  renewRun: { id: runId },
  endRun: { id: runId },
  stopRun: { body: { since: 1 } },
  interruptRun: { body: { since: 1 } },
  createRunToken: { body: { label: 'run on h' } },
  updateRetention: { body: { messages: { days: 90 } } },
};

/** Replaces `<note>`: the id of a message from ben to himself. */
let note = '';

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker({
    members: {
      ada: ['members.manage'],
      ben: [],
      dan: [],
      eli: [],
      finn: [],
      ora: ['objectives.create'],
    },
    config: {
      webPush: { vapidPublicKey: vapid.publicKey, vapidPrivateKey: vapid.privateKey },
      files: { root: 'files' },
    },
  });
  await team.as('ben').call('createChannel', { body: { slug: 'ops' } });
  note = (await team.as('ben').call('push', { body: { to: 'ben', body: 'note' } })).message.id;
});
afterAll(() => team.stop());

async function newObjective(): Promise<string> {
  const body = { title: 'x', outcome: 'y', assignee: 'ben' };
  return (await team.as('ora').call('createObjective', { body })).id;
}

const cases = Object.entries(golden).flatMap(([id, row]) =>
  Object.entries(row).map(([persona, status]) => [id as OperationId, persona as Persona, status] as const),
);

it.each(cases)('%s by %s answers %d', async (id, persona, status) => {
  const operation: Operation = operations[id];
  const { query = '', body, named = 'ben', id: target = ':id' } = requests[id] ?? {};
  const idOf = target === '<objective>' ? await newObjective() : target.replace('<note>', note);
  const name = persona === 'self' ? named : memberOf[persona];
  const headers: Record<string, string> = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  if (name !== null) headers.authorization = `Bearer ${team.token(name) || `svc_${'x'.repeat(43)}`}`;
  const reply = await fetch(
    team.url +
      operation.path
        .replace(':slug', 'ops')
        .replace(':name', named)
        .replace(':id', idOf)
        .replace(':seq', '4711')
        .replace('*', 'ben/none') +
      query,
    {
      method: operation.method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body).replace('<note>', note) }),
    },
  );
  expect(reply.status).toBe(status);
  if (status === 401) expect(reply.headers.get('www-authenticate')).toBe('Bearer');
  await reply.body?.cancel();
});
