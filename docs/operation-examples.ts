/** A realistic request of each operation, for the pages of docs/guides/http-api. A test parses each of them with the schemas. */
import type { OperationId } from '#protocol/operations.ts';

export interface Example {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** Bytes that are no JSON. */
  file?: string;
}

const ben = { name: 'ben' };
const messageId = '01985c2e-7a40-7c3b-9d51-3f6a2b8c4e10';
const uuid = 'b28bb5a9-1dee-4223-8973-f31a60a711fd';
const objective = { id: 'obj_7k2m9p4q1x' };
const message = { id: messageId };
const release = { slug: 'release' };
const time = 1_790_000_000_000;
const setup = {
  team: { name: 'Lab', directive: 'Ship version 1', brief: 'Write tests first.' },
  admin: { name: 'ada', role: { title: 'Director', description: 'Leads the team' } },
};

export const operationExamples: Readonly<Record<OperationId, Example>> = {
  health: {},
  ready: {},
  setUp: { body: setup },
  proposeAuthenticator: { body: setup },
  openapi: {},
  diagnostics: {},
  addresses: {},
  briefing: {},
  roster: { query: { limit: '50' } },
  reportBusy: { body: { busy: true } },
  reportModel: {
    body: { state: 'refusing', cause: 'limit', until: time, detail: 'The usage limit is reached.' },
  },
  push: { body: { to: 'ben', title: 'Review', body: 'The branch is ready for review.', level: 'notice' } },
  subscribe: { query: { name: 'ada' } },
  history: { query: { channel: 'release', limit: '20' } },
  historyWindow: { query: { with: 'ben', around: messageId, limit: '20' } },
  editMessage: { params: message, body: { body: 'The branch is ready for review now.' } },
  deleteMessage: { params: message },
  unread: {},
  unreadMarks: { query: { scope: 'general' } },
  reportRead: { body: { scope: 'general', upTo: messageId } },
  markUnread: { body: { scope: 'general', from: messageId } },
  waiting: {},
  reportEvidence: { params: message, body: { state: 'accepted', at: time } },
  receipts: { params: message },
  vapidPublicKey: {},
  subscribePush: {
    body: {
      endpoint: 'https://push.example.com/send/abc',
      keys: {
        p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
        auth: 'tBHItJI5svbpez7KI4CCXg',
      },
    },
  },
  pushSubscriptions: {},
  unsubscribePush: { params: { id: uuid } },
  logIn: { body: { member: 'ada', code: '492039' } },
  createConsoleLink: {},
  logInByLink: { body: { code: 'q9pQ2v1cY0m8kGfTn3wXbA' } },
  session: {},
  logOut: {},
  sessions: { query: { member: 'ben' } },
  endSession: { params: { id: uuid }, query: { member: 'ben' } },
  endSessions: { query: { keep: 'current' } },
  loginFailures: {},
  members: { query: { limit: '50' } },
  createMember: {
    body: {
      name: 'ben',
      role: { title: 'Engineer', description: 'Writes the server' },
      instructions: 'Run the tests before you post.',
      permissions: ['operator'],
    },
  },
  updateMember: { params: ben, body: { permissions: ['observer'], wakes: 'mentions' } },
  deleteMember: { params: ben },
  memberKinds: {},
  setMemberKind: { params: ben, body: { kind: 'agent' } },
  rotateToken: { params: ben },
  tokens: { params: ben },
  devices: { query: { limit: '50' } },
  openSessions: { query: { limit: '50' } },
  revokeToken: { params: { ...ben, id: uuid } },
  enrollTotp: { params: ben, body: {} },
  proposeTotp: { params: ben },
  team: {},
  updateTeam: { body: { directive: 'Ship version 2', maxAgentHops: 12 } },
  enroll: { body: { labelHint: 'mill' } },
  pollEnrollment: { body: { deviceCode: 'Zk3vX8yq0bWm5tHr1nLcDg2sJfPa7uEo' } },
  pendingEnrollments: {},
  approveEnrollment: { body: { mode: 'bind', userCode: 'BCDF-GHJK', memberName: 'ben', label: 'mill' } },
  rejectEnrollment: { body: { userCode: 'BCDF-GHJK', reason: 'Nobody here knows this device.' } },
  enrollmentHistory: {},
  bindPlatform: {
    body: { pairingCode: 'q9pQ2v1cY0m8kGfTn3wXbA', platformUrl: 'https://platform.example.com' },
  },
  lookUpPlatform: { query: { code: 'q9pQ2v1cY0m8kGfTn3wXbA' } },
  channels: {},
  createChannel: { body: { slug: 'release' } },
  channel: { params: release },
  renameChannel: { params: release, body: { slug: 'shipping' } },
  archiveChannel: { params: release },
  joinChannel: { params: release, body: { member: 'ben', role: 'member' } },
  leaveChannel: { params: { ...release, ...ben } },
  objectives: { query: { assignee: 'ben', status: 'active' } },
  createObjective: {
    body: { title: 'Ship it', outcome: 'Version 1 is public.', assignee: 'ben', watchers: ['cy'] },
  },
  objective: { params: objective },
  updateObjective: { params: objective, body: { status: 'blocked', blockReason: 'The review is missing.' } },
  completeObjective: { params: objective, body: { result: 'Version 1 is public since noon.' } },
  cancelObjective: { params: objective, body: { reason: 'The customer changed the plan.' } },
  reassignObjective: { params: objective, body: { to: 'cy', note: 'Ben is away until Monday.' } },
  discussObjective: { params: objective, body: { body: 'The review is done.' } },
  updateWatchers: { params: objective, body: { add: ['dee'], remove: ['cy'] } },
  search: { query: { q: 'release "version 1"', from: 'ben', limit: '20' } },
  inbox: {},
  attention: {},
  markAttention: { body: { item: 'device:BCDF-GHJK', until: null } },
  unmarkAttention: { query: { item: 'device:BCDF-GHJK' } },
  listFiles: { query: { path: '/ada' } },
  statFile: { query: { path: '/ada/plan.txt' } },
  readFile: { params: { '*': 'ada/plan.txt' } },
  writeFile: { query: { path: '/ada/plan.txt', mime: 'text/plain', collide: 'suffix' }, file: 'plan.txt' },
  makeDirectory: { body: { path: '/ada/plans', recursive: true } },
  removeFile: { query: { path: '/ada/plans', recursive: 'true' } },
  moveFile: { body: { from: '/ada/plan.txt', to: '/ada/plans/plan.txt' } },
  sharedFiles: {},
  findFiles: { query: { q: 'plan' } },
  fileGrants: { query: { path: '/ada/plan.txt' } },
  uploadActivity: {
    params: ben,
    body: { events: [{ kind: 'objective_open', ts: time, objectiveId: objective.id }] },
  },
  activityRange: { params: ben, query: { kind: 'llm_exchange', limit: '20' } },
  activityStream: { params: ben },
  activityRow: { params: { ...ben, id: '42' } },
  activitySummaries: { params: ben, query: { limit: '20' } },
  activityTranscript: { params: ben, query: { limit: '20' } },
  teamActivity: { query: { failed: 'true', limit: '20' } },
  summaryStream: { query: { member: 'ben' } },
  activityUsage: { query: { member: 'ben' } },
  runs: {},
  takeRun: { body: { runId: uuid, host: 'mill', agent: 'claude-code', pid: 4711 } },
  renewRun: { params: { id: uuid }, body: { reach: 'nothing' } },
  endRun: { params: { id: uuid } },
  stopRun: { params: ben, body: { since: time } },
  interruptRun: { params: ben, body: { since: time } },
  createRunToken: { params: ben, body: { label: 'claude-code on mill' } },
  heldPosts: {},
  releaseHeld: { params: { id: messageId } },
  dropHeld: { params: { id: messageId } },
  audit: { query: { kind: 'token_rotated', limit: '20' } },
  acknowledgeAuditCut: { params: { seq: '4711' } },
  retention: {},
  updateRetention: { body: { messages: { days: 365 }, hold: { on: 'member:ben', reason: 'Case 7' } } },
  runRetention: {},
};
