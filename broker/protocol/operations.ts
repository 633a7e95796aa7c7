/**
 * THE contract table: one row per operation. The guard, the OpenAPI document, the access reference, the typed
 * client, and the access test derive from it; a route exists only by naming its row.
 */
import { z } from 'zod';
import { activityOperations } from './activity.operations.ts';
import { BrokerAddressList } from './addresses.ts';
import { attentionOperations } from './attention.operations.ts';
import { auditOperations } from './audit.operations.ts';
import { Briefing } from './briefing.ts';
import { channelOperations } from './channel.operations.ts';
import { Diagnostics } from './diagnostics.ts';
import { fileOperations } from './file.operations.ts';
import { Health, Ready } from './health.ts';
import { heldOperations } from './held.operations.ts';
import { identityOperations } from './identity.operations.ts';
import { kindOperations } from './kind.operations.ts';
import { limits } from './limits.ts';
import { MemberPageQuery, TotpEnrollment } from './member.ts';
import {
  History,
  HistoryQuery,
  HistoryWindow,
  HistoryWindowQuery,
  MessageChange,
  MessageEdit,
  PushPayload,
  PushResult,
} from './message.ts';
import { ModelReport } from './model-refusal.ts';
import { objectiveOperations } from './objective.operations.ts';
import type { Operation } from './operation.ts';
import { BusyReport, Roster } from './presence.ts';
import { readingOperations } from './reading.operations.ts';
import { MessageParams } from './receipt.ts';
import { retentionOperations } from './retention.operations.ts';
import { runOperations } from './run.operations.ts';
import { SetupReply, SetupRequest } from './setup.ts';
import { SubscribeQuery } from './stream.ts';
import {
  PushSubscription,
  PushSubscriptionList,
  PushSubscriptionRequest,
  VapidPublicKey,
} from './web-push.ts';

export type { Operation } from './operation.ts';

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
    isUnfenced: true,
  },
  ready: {
    method: 'GET',
    path: '/readyz',
    summary: 'Does this broker answer the team? For balancers in front of brokers that stand by.',
    plane: 'none',
    rule: [],
    reply: Ready,
    status: 200,
    beforeSetup: true,
  },
  setUp: {
    method: 'POST',
    path: '/setup',
    summary:
      'Set up an unconfigured broker: the team and its first member. The one-time setup key protects it.',
    plane: 'none',
    rule: [],
    body: SetupRequest,
    bodyLimit: limits.body.setup,
    reply: SetupReply,
    status: 200,
    beforeSetup: true,
  },
  proposeAuthenticator: {
    method: 'POST',
    path: '/setup/authenticator',
    summary:
      'Check a setup and create a secret for an authenticator, to be confirmed by the setup. Stores nothing.',
    plane: 'none',
    rule: [],
    body: SetupRequest,
    bodyLimit: limits.body.setup,
    reply: TotpEnrollment,
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
    summary: 'The caller, the team, its members, and the caller’s open objectives.',
    plane: 'dual',
    rule: ['member'],
    reply: Briefing,
    status: 200,
    etag: true,
  },
  roster: {
    method: 'GET',
    path: '/roster',
    summary: 'Every member and who is connected.',
    plane: 'dual',
    rule: ['member'],
    query: MemberPageQuery,
    reply: Roster,
    status: 200,
    etag: true,
  },
  push: {
    method: 'POST',
    path: '/push',
    summary: 'Send a direct message, a channel post, or a broadcast. A 200 means it is on disk.',
    plane: 'dual',
    rule: ['member'],
    growsStore: 'main',
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
  historyWindow: {
    method: 'GET',
    path: '/history/window',
    summary: 'Stored messages of one scope around a message, or after it, newest first.',
    plane: 'dual',
    rule: ['member'],
    query: HistoryWindowQuery,
    reply: HistoryWindow,
    status: 200,
  },
  editMessage: {
    method: 'PATCH',
    path: '/messages/:id',
    summary: 'Change the text of one of the caller’s own messages, within an hour. The conversation is told.',
    plane: 'dual',
    rule: ['sender'],
    growsStore: 'main',
    params: MessageParams,
    body: MessageEdit,
    reply: MessageChange,
    status: 200,
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/messages/:id',
    summary: 'Remove the text of one of the caller’s own messages, within an hour. The conversation is told.',
    plane: 'dual',
    rule: ['sender'],
    params: MessageParams,
    reply: MessageChange,
    status: 200,
  },
  diagnostics: {
    method: 'GET',
    path: '/diagnostics',
    summary: 'How the broker is doing: listeners, streams, queues, delays, stores, limits.',
    plane: 'dual',
    rule: ['members.manage'],
    reply: Diagnostics,
    status: 200,
  },
  addresses: {
    method: 'GET',
    path: '/addresses',
    summary:
      'The HTTPS addresses at which clients on other machines reach the team, beginning with the broker that answers.',
    plane: 'dual',
    rule: ['member'],
    reply: BrokerAddressList,
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
  reportModel: {
    method: 'POST',
    path: '/presence/model',
    summary:
      "Say that the model of the caller's agent refuses, and why, or works; lasts 45 s without a repeat.",
    plane: 'bearer',
    rule: ['member'],
    body: ModelReport,
    reply: 'empty',
    status: 204,
  },
  vapidPublicKey: {
    method: 'GET',
    path: '/push/vapid-public-key',
    summary: 'The key with which browsers subscribe.',
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
  pushSubscriptions: {
    method: 'GET',
    path: '/push/subscriptions',
    summary: 'The caller’s own push subscriptions, without their endpoints.',
    plane: 'dual',
    rule: ['member'],
    reply: PushSubscriptionList,
    status: 200,
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
  ...identityOperations,
  ...channelOperations,
  ...objectiveOperations,
  ...readingOperations,
  ...attentionOperations,
  ...kindOperations,
  ...fileOperations,
  ...activityOperations,
  ...runOperations,
  ...heldOperations,
  ...auditOperations,
  ...retentionOperations,
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** The output type of one part of a row; `undefined` if the row has no such part. */
export type Part<Id extends OperationId, Key extends 'params' | 'query' | 'body'> =
  (typeof operations)[Id] extends Record<Key, infer S extends z.ZodType> ? z.output<S> : undefined;

export type Reply<Id extends OperationId> = (typeof operations)[Id]['reply'] extends infer S extends z.ZodType
  ? z.output<S>
  : undefined;
