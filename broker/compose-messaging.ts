/** What members write to each other, and what follows from it: channels, messages, objectives, files, search, receipts, push. */
import type { BrokerStreams } from './broker-streams.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { ActivityUnits } from './features/activity/activity.sqlite.ts';
import {
  type ActivityOutbox,
  type ActivityOutboxDeps,
  createActivityOutbox,
} from './features/activity/activity-outbox.service.ts';
import { type Channels, createChannels } from './features/channels/channels.service.ts';
import { createFiles, type Files } from './features/files/files.service.ts';
import { createIdempotency, type Idempotency } from './features/idempotency/idempotency.service.ts';
import type { Members } from './features/members/members.service.ts';
import { createMessageFrames } from './features/messages/message-frames.ts';
import { createMessages, type Messages } from './features/messages/messages.service.ts';
import {
  createObjectives,
  type Objectives,
  type ObjectivesDeps,
} from './features/objectives/objectives.service.ts';
import { createDelivered, type Delivered } from './features/receipts/delivered.service.ts';
import { createReceipts, type ReceiptsService } from './features/receipts/receipts.service.ts';
import { createIndexer, type Indexer } from './features/search/indexer.service.ts';
import { createSearch, type Search } from './features/search/search.service.ts';
import { createWebPush, type WebPush } from './features/web-push/web-push.service.ts';
import type { NamedStore } from './open-stores.ts';
import type { Clock } from './runtime/clock.ts';
import type { Log } from './runtime/log.ts';
import { createMessageStamps } from './runtime/message-stamps.ts';
import type { Outbound } from './runtime/outbound-fetch.ts';
import { mintChannelId, mintObjectiveId } from './security/short-id.ts';
import { createBlobStore } from './storage/blobs/blob-store.ts';
import type { MainUnits } from './store-thread.ts';

export interface MessagingDeps {
  main: NamedStore<MainUnits>;
  storeId: string;
  /** The store's first start, epoch ms. */
  storeCreatedAt: number;
  /** The newest stored message's; stamps go on from there. */
  lastTs: number;
  config: ConfigStore;
  members: Members;
  streams: Pick<BrokerStreams, 'team' | 'announceChange' | 'announceReceipt'>;
  activityUnits: ActivityUnits;
  /** Told of the members whose rows are in the activity store now. */
  onActivityStored: NonNullable<ActivityOutboxDeps['onStored']>;
  outbound: Outbound;
  onObjectiveDone: () => void;
  /** A write that the next start makes up for failed. */
  onPutOff: (error: unknown) => void;
  clock: Clock;
  log: Log;
}

export interface Messaging {
  channels: Channels;
  files: Files;
  messages: Messages;
  objectives: Objectives;
  idempotency: Idempotency;
  indexer: Indexer;
  search: Search;
  delivered: Delivered;
  receipts: ReceiptsService;
  webPush: WebPush;
  outbox: ActivityOutbox;
}

export function composeMessaging(deps: MessagingDeps): Messaging {
  const { main, storeId, storeCreatedAt, lastTs, config, members, streams, outbound } = deps;
  const { activityUnits, onActivityStored, onObjectiveDone, onPutOff, clock, log } = deps;
  const { units } = main.store;
  const channels = createChannels({
    units,
    members,
    clock,
    mintId: mintChannelId,
    since: storeCreatedAt,
    onChanged: (id) => streams.announceChange('channel', id, 'everyone'),
  });
  const blobs = createBlobStore({
    root: () => config.resolvePath(config.current?.files?.root ?? 'files'),
    owner: { storeId, isOnDisk: main.file !== null },
    unreferenced: (hashes) => units.unreferencedBlobs(hashes),
    log,
  });
  const files = createFiles({ units, blobs, config, members, clock, log });
  const indexer = createIndexer({
    units,
    members,
    onError: (err) => log.warn({ err }, 'indexing is put off'),
  });
  const search = createSearch({ units, members, indexer });
  const delivered = createDelivered({ units, streams: streams.team, onPutOff });
  const receipts = createReceipts({
    units,
    members,
    indexer,
    delivered,
    clock,
    onReceipt: streams.announceReceipt,
  });
  const idempotency = createIdempotency({ units, clock });
  const nextStamp = createMessageStamps(clock, lastTs);
  const frames = createMessageFrames(storeId);
  const webPush = createWebPush({ units, clock, config, members, outbound, log });
  const outbox = createActivityOutbox({
    main: units,
    activity: activityUnits,
    storeId,
    clock,
    onStored: onActivityStored,
  });
  const onAccepted: ObjectivesDeps['onAccepted'] = (message, readers, concerned) => {
    webPush.onAccepted(message, readers, concerned);
    indexer.wake();
  };
  const messages = createMessages({
    units,
    members,
    streams: streams.team,
    idempotency,
    hasFiles: files.isEnabled,
    nextStamp,
    frames,
    onAccepted,
  });
  const objectives = createObjectives({
    units,
    members,
    files,
    streams: streams.team,
    frames,
    idempotency,
    mintId: mintObjectiveId,
    nextStamp,
    outbox,
    onAccepted,
    onDone: onObjectiveDone,
    onReleased: (id) => streams.announceChange('objective', id, 'everyone'),
    onPutOff,
  });
  return {
    channels,
    files,
    messages,
    objectives,
    idempotency,
    indexer,
    search,
    delivered,
    receipts,
    webPush,
    outbox,
  };
}
