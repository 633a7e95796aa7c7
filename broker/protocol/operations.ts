/**
 * THE contract table: one row per endpoint. The guard, the OpenAPI document, the access reference, the typed client and
 * the access test derive from it; a route exists only by naming its row.
 */
import { z } from 'zod';
import type { Plane, Rule } from './access.ts';
import { Briefing } from './briefing.ts';
import {
  Approval,
  Approved,
  DeviceAuthorization,
  DeviceToken,
  EnrollmentHistory,
  EnrollPoll,
  EnrollRequest,
  PendingEnrollments,
  Rejection,
} from './enrollment.ts';
import { fileRules } from './file-access.ts';
import {
  FsEntryList,
  FsEntryResponse,
  FsGrants,
  FsMakeDirectory,
  FsMove,
  FsPathQuery,
  FsReadParams,
  FsRemoveQuery,
  FsWriteQuery,
  FsWritten,
} from './files.ts';
import { Health } from './health.ts';
import { limits } from './limits.ts';
import {
  CreatedMember,
  MemberList,
  MemberParams,
  MemberPatch,
  MemberTokenParams,
  NewMember,
  Teammate,
  TotpEnrolment,
} from './member.ts';
import { History, HistoryQuery, PushPayload, PushResult } from './message.ts';
import { PlatformBind, PlatformBound, PlatformLookup, PlatformLookupQuery } from './platform-connect.ts';
import { BusyReport, Roster } from './presence.ts';
import { SessionReply, TotpLogin } from './session.ts';
import { SetupReply, SetupRequest } from './setup.ts';
import { SubscribeQuery } from './stream.ts';
import { Team, TeamPatch } from './team.ts';
import { RotatedToken, TokenList } from './token.ts';
import { PushSubscription, PushSubscriptionRequest, VapidPublicKey } from './web-push.ts';

export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Fastify's notation: `/members/:name`. */
  path: string;
  summary: string;
  plane: Plane;
  rule: Rule;
  /** Where `self` is read from, when the rule has it. */
  self?: { in: 'params' | 'query'; key: string };
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The body is bytes of any content type; the handler takes them from the stream, and caps them. */
  rawBody?: true;
  /** Body cap in bytes; limits.body.json unless set. */
  bodyLimit?: number;
  /** What a success answers: a JSON schema, or nothing, a live stream, or raw bytes. */
  reply: z.ZodType | 'empty' | 'stream' | 'bytes';
  status: 200 | 201 | 204;
  /** Answered before set-up too (D14). */
  beforeSetup?: true;
}

export const operations = {
  health: {
    method: 'GET',
    path: '/healthz',
    summary: 'Is the broker up, and which version is it?',
    plane: 'none',
    rule: [],
    reply: Health,
    status: 200,
    beforeSetup: true,
  },
  setUp: {
    method: 'POST',
    path: '/setup',
    summary:
      'Set up an unconfigured broker: the team and its first member. Guarded by the one-time set-up key.',
    plane: 'none',
    rule: [],
    body: SetupRequest,
    bodyLimit: limits.body.setup,
    reply: SetupReply,
    status: 200,
    beforeSetup: true,
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This API as an OpenAPI document.',
    plane: 'dual',
    rule: ['member'],
    reply: z.record(z.string(), z.unknown()),
    status: 200,
  },
  briefing: {
    method: 'GET',
    path: '/briefing',
    summary: 'Who the caller is, the team, its members, and the caller’s open objectives.',
    plane: 'dual',
    rule: ['member'],
    reply: Briefing,
    status: 200,
  },
  roster: {
    method: 'GET',
    path: '/roster',
    summary: 'Every member and who is connected.',
    plane: 'dual',
    rule: ['member'],
    reply: Roster,
    status: 200,
  },
  push: {
    method: 'POST',
    path: '/push',
    summary: 'Send a direct message, a channel post or a broadcast. A 200 means it is on disk.',
    plane: 'dual',
    rule: ['member'],
    body: PushPayload,
    reply: PushResult,
    status: 200,
  },
  subscribe: {
    method: 'GET',
    path: '/subscribe',
    summary: 'The caller’s messages, live; resumes after Last-Event-ID or lastEventId.',
    plane: 'dual',
    rule: ['self'],
    self: { in: 'query', key: 'name' },
    query: SubscribeQuery,
    reply: 'stream',
    status: 200,
  },
  history: {
    method: 'GET',
    path: '/history',
    summary: 'Stored messages, newest first, of one scope.',
    plane: 'dual',
    rule: ['member'],
    query: HistoryQuery,
    reply: History,
    status: 200,
  },
  logIn: {
    method: 'POST',
    path: '/session/totp',
    summary: 'Log in to the web UI with a TOTP code; sets the session cookie.',
    plane: 'none',
    rule: [],
    body: TotpLogin,
    reply: SessionReply,
    status: 200,
  },
  session: {
    method: 'GET',
    path: '/session',
    summary: 'Who the caller is and when its credential expires.',
    plane: 'dual',
    rule: ['member'],
    reply: SessionReply,
    status: 200,
  },
  logOut: {
    method: 'POST',
    path: '/session/logout',
    summary: 'End the session. A bearer keeps working.',
    plane: 'dual',
    rule: ['member'],
    reply: 'empty',
    status: 204,
  },
  members: {
    method: 'GET',
    path: '/members',
    summary: 'Every member; managers see the private fields, too.',
    plane: 'dual',
    rule: ['member'],
    reply: MemberList,
    status: 200,
  },
  createMember: {
    method: 'POST',
    path: '/members',
    summary: 'Create a member. The token is shown once.',
    plane: 'dual',
    rule: ['members.manage'],
    body: NewMember,
    reply: CreatedMember,
    status: 201,
  },
  updateMember: {
    method: 'PATCH',
    path: '/members/:name',
    summary: 'Change a member’s role, instructions or permissions.',
    plane: 'dual',
    rule: ['members.manage'],
    params: MemberParams,
    body: MemberPatch,
    reply: Teammate,
    status: 200,
  },
  deleteMember: {
    method: 'DELETE',
    path: '/members/:name',
    summary: 'Remove a member: its credentials end at once, its name is retired.',
    plane: 'dual',
    rule: ['members.manage'],
    params: MemberParams,
    reply: 'empty',
    status: 204,
  },
  rotateToken: {
    method: 'POST',
    path: '/members/:name/rotate-token',
    summary: 'Revoke every token of the member and mint a new one, shown once.',
    plane: 'dual',
    rule: ['members.manage', 'self'],
    self: { in: 'params', key: 'name' },
    params: MemberParams,
    reply: RotatedToken,
    status: 200,
  },
  tokens: {
    method: 'GET',
    path: '/members/:name/tokens',
    summary: 'The member’s tokens, without their plaintext.',
    plane: 'dual',
    rule: ['members.manage', 'self'],
    self: { in: 'params', key: 'name' },
    params: MemberParams,
    reply: TokenList,
    status: 200,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/members/:name/tokens/:id',
    summary: 'Revoke one token; the one that authenticates the request, too.',
    plane: 'dual',
    rule: ['members.manage', 'self'],
    self: { in: 'params', key: 'name' },
    params: MemberTokenParams,
    reply: 'empty',
    status: 204,
  },
  enrollTotp: {
    method: 'POST',
    path: '/members/:name/enroll-totp',
    summary: 'Bind a new authenticator; the one before stops working.',
    plane: 'dual',
    rule: ['members.manage', 'self'],
    self: { in: 'params', key: 'name' },
    params: MemberParams,
    reply: TotpEnrolment,
    status: 200,
  },
  team: {
    method: 'GET',
    path: '/team',
    summary: 'The team’s name, directive, brief and permission presets.',
    plane: 'dual',
    rule: ['member'],
    reply: Team,
    status: 200,
  },
  updateTeam: {
    method: 'PATCH',
    path: '/team',
    summary: 'Change the team. Presets need members.manage as well.',
    plane: 'dual',
    rule: ['team.manage'],
    body: TeamPatch,
    reply: Team,
    status: 200,
  },
  listFiles: {
    method: 'GET',
    path: '/fs/ls',
    summary: 'What is in a directory, ordered by name; of / the homes the caller can see.',
    plane: 'dual',
    rule: fileRules.read,
    query: FsPathQuery,
    reply: FsEntryList,
    status: 200,
  },
  statFile: {
    method: 'GET',
    path: '/fs/stat',
    summary: 'One file or directory.',
    plane: 'dual',
    rule: fileRules.read,
    query: FsPathQuery,
    reply: FsEntryResponse,
    status: 200,
  },
  readFile: {
    method: 'GET',
    path: '/fs/read/*',
    summary: 'A file’s bytes, whole or a range; each segment of the path is URL-encoded separately.',
    plane: 'dual',
    rule: fileRules.read,
    params: FsReadParams,
    reply: 'bytes',
    status: 200,
  },
  writeFile: {
    method: 'POST',
    path: '/fs/write',
    summary: 'Write a file; the body is its bytes. Missing directories are made. A 200 means it is on disk.',
    plane: 'dual',
    rule: fileRules.write,
    query: FsWriteQuery,
    rawBody: true,
    reply: FsWritten,
    status: 200,
  },
  makeDirectory: {
    method: 'POST',
    path: '/fs/mkdir',
    summary: 'Make a directory; with `recursive` also those above it.',
    plane: 'dual',
    rule: fileRules.write,
    body: FsMakeDirectory,
    reply: FsEntryResponse,
    status: 200,
  },
  removeFile: {
    method: 'DELETE',
    path: '/fs/rm',
    summary: 'Remove a file or a directory; one that is not empty only with `recursive`.',
    plane: 'dual',
    rule: fileRules.write,
    query: FsRemoveQuery,
    reply: 'empty',
    status: 204,
  },
  moveFile: {
    method: 'POST',
    path: '/fs/mv',
    summary: 'Move one file; who may read it stays the same.',
    plane: 'dual',
    rule: fileRules.write,
    body: FsMove,
    reply: FsEntryResponse,
    status: 200,
  },
  sharedFiles: {
    method: 'GET',
    path: '/fs/shared',
    summary: 'Files of others that an attachment lets the caller read.',
    plane: 'dual',
    rule: ['member'],
    reply: FsEntryList,
    status: 200,
  },
  fileGrants: {
    method: 'GET',
    path: '/fs/grants',
    summary: 'Who may read a file, and through which attachment.',
    plane: 'dual',
    rule: fileRules.write,
    query: FsPathQuery,
    reply: FsGrants,
    status: 200,
  },
  reportBusy: {
    method: 'POST',
    path: '/presence/busy',
    summary: 'Say that the caller is busy, or no longer; lasts 30 s without a repeat.',
    plane: 'bearer',
    rule: ['member'],
    body: BusyReport,
    reply: 'empty',
    status: 204,
  },
  vapidPublicKey: {
    method: 'GET',
    path: '/push/vapid-public-key',
    summary: 'The key that browsers subscribe with.',
    plane: 'none',
    rule: [],
    reply: VapidPublicKey,
    status: 200,
  },
  subscribePush: {
    method: 'POST',
    path: '/push/subscriptions',
    summary: 'Register a browser for push messages.',
    plane: 'dual',
    rule: ['member'],
    body: PushSubscriptionRequest,
    reply: PushSubscription,
    status: 201,
  },
  unsubscribePush: {
    method: 'DELETE',
    path: '/push/subscriptions/:id',
    summary: 'Remove one of the caller’s own push subscriptions.',
    plane: 'dual',
    rule: ['member'],
    params: z.object({ id: z.string() }),
    reply: 'empty',
    status: 204,
  },
  enroll: {
    method: 'POST',
    path: '/enroll',
    summary: 'A device asks to join; answers the codes to show and to poll with.',
    plane: 'none',
    rule: [],
    body: EnrollRequest,
    reply: DeviceAuthorization,
    status: 200,
  },
  pollEnrollment: {
    method: 'POST',
    path: '/enroll/poll',
    summary: 'The device asks for its token; given once.',
    plane: 'none',
    rule: [],
    body: EnrollPoll,
    reply: DeviceToken,
    status: 200,
  },
  pendingEnrollments: {
    method: 'GET',
    path: '/enroll/pending',
    summary: 'Devices that wait for a decision, oldest first.',
    plane: 'dual',
    rule: ['members.manage'],
    reply: PendingEnrollments,
    status: 200,
  },
  approveEnrollment: {
    method: 'POST',
    path: '/enroll/approve',
    summary: 'Approve a device, for an existing member or a new one. The token goes to the device.',
    plane: 'dual',
    rule: ['members.manage'],
    body: Approval,
    reply: Approved,
    status: 200,
  },
  rejectEnrollment: {
    method: 'POST',
    path: '/enroll/reject',
    summary: 'Reject a device.',
    plane: 'dual',
    rule: ['members.manage'],
    body: Rejection,
    reply: 'empty',
    status: 204,
  },
  enrollmentHistory: {
    method: 'GET',
    path: '/enroll/history',
    summary: 'Decided and expired requests of the last 30 days.',
    plane: 'dual',
    rule: ['members.manage'],
    reply: EnrollmentHistory,
    status: 200,
  },
  bindPlatform: {
    method: 'POST',
    path: '/platform-connect/bind',
    summary: 'Bind a hosted control plane: its JWTs authenticate members from then on.',
    plane: 'session',
    rule: ['members.manage'],
    body: PlatformBind,
    reply: PlatformBound,
    status: 200,
  },
  lookUpPlatform: {
    method: 'GET',
    path: '/platform-connect/lookup',
    summary: 'What a pairing code was bound to; answered once.',
    plane: 'none',
    rule: [],
    query: PlatformLookupQuery,
    reply: PlatformLookup,
    status: 200,
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** The output type of one part of a row; `undefined` where the row has no such part. */
export type Part<Id extends OperationId, Key extends 'params' | 'query' | 'body'> =
  (typeof operations)[Id] extends Record<Key, infer S extends z.ZodType> ? z.output<S> : undefined;

export type Reply<Id extends OperationId> = (typeof operations)[Id]['reply'] extends infer S extends z.ZodType
  ? z.output<S>
  : undefined;
