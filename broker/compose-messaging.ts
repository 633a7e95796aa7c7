/**
 * The conversations of members, and the services that follow them: channels, messages, objectives, files, search,
 * receipts, and push.
 */
import { randomUUID } from 'node:crypto';
import type { DamagedStore } from '#protocol/attention.ts';
import { formatScope } from '#protocol/scope.ts';
import type { People } from './compose-people.ts';
import { type ActivityOutbox, createActivityOutbox } from './features/activity/activity-outbox.service.ts';
import { type AttentionService, createAttention } from './features/attention/attention.service.ts';
import { type Channels, createChannels } from './features/channels/channels.service.ts';
import { createFiles, type Files } from './features/files/files.service.ts';
import { createAuthors } from './features/holds/authors.service.ts';
import { createHolds, type Holds } from './features/holds/holds.service.ts';
import { createIdempotency, type Idempotency } from './features/idempotency/idempotency.service.ts';
import { createMessageFrames } from './features/messages/message-frames.ts';
import { createMessages, type Messages, type MessagesDeps } from './features/messages/messages.service.ts';
import { createPosting, type PostingDeps } from './features/messages/posting.service.ts';
import { createObjectives, type Objectives } from './features/objectives/objectives.service.ts';
import { createDelivered } from './features/receipts/delivered.service.ts';
import { createReceiptNews, type ReceiptNewsBoard } from './features/receipts/receipt-news.service.ts';
import { createReceipts, type ReceiptsService } from './features/receipts/receipts.service.ts';
import { createRetention, type Retention } from './features/retention/retention.service.ts';
import { parseScopeKey } from './features/scopes/scope-key.ts';
import { createIndexer, type Indexer } from './features/search/indexer.service.ts';
import { createSearch, type Search } from './features/search/search.service.ts';
import { createWebPush, type WebPush } from './features/web-push/web-push.service.ts';
import type { Foundation } from './foundation.ts';
import { createMessageStamps } from './runtime/message-stamps.ts';
import { createStoreGrowth, type StoreGrowth } from './runtime/store-growth.ts';
import { mintChannelId, mintObjectiveId } from './security/short-id.ts';
import { openBlobFolder } from './storage/blobs/blob-folder.ts';
import { createBlobStore } from './storage/blobs/blob-store.ts';
import { filesRootOf, isBucket } from './storage/blobs/bucket-address.ts';
import { openBucketPlace } from './storage/blobs/bucket-place.ts';

/** The services that follow what members write: they index it, count it, and announce it outside the app. */
interface Followers {
  indexer: Indexer;
  search: Search;
  receipts: ReceiptsService;
  attention: AttentionService;
  growth: StoreGrowth;
  news: ReceiptNewsBoard;
  webPush: WebPush;
}

export interface Messaging extends Followers {
  channels: Channels;
  files: Files;
  messages: Messages;
  objectives: Objectives;
  idempotency: Idempotency;
  outbox: ActivityOutbox;
  holds: Holds;
  retention: Retention;
}

export function composeMessaging(
  foundation: Foundation,
  people: People,
  onObjectiveDone: () => void,
): Messaging {
  const { units, storeId, newest, activityStore, audit, onWriteDeferred, clock, clockWatch, log } =
    foundation;
  const { members, streams } = people;
  const files = composeFiles(foundation, people);
  const followers = composeFollowers(foundation, people);
  const idempotency = createIdempotency({ units, clock });
  const outbox = createActivityOutbox({
    main: units,
    activity: activityStore.store.units,
    storeId,
    clock,
    onStored: people.activity.onStored,
  });
  const onAccepted: PostingDeps['onAccepted'] = (message, readers, concerned) => {
    followers.webPush.onAccepted(message, readers, concerned);
    const { id, from: sender, to: recipient, data } = message;
    // It was published last.
    const seq = streams.team.position;
    followers.indexer.wake(seq);
    followers.news.accepted({ seq, id, sender, recipient, thread: data.thread, audience: readers });
  };
  const authors = createAuthors({ hasRun: people.runs.isHeld, maxHops: () => members.team().maxAgentHops });
  const onHeldChanged = (id: string, writer: string) =>
    streams.announceChange('held', id, [...new Set([writer, ...members.managers()])]);
  const retention = composeRetention(foundation, people);
  const stamps = createMessageStamps(clockWatch.stampTime, newest.ts);
  const nextStamp = () => {
    const stamp = stamps();
    clockWatch.stamped(stamp.ts);
    return stamp;
  };
  const frames = createMessageFrames(storeId);
  const posting = createPosting({
    idempotency,
    streams: streams.team,
    frames,
    onAccepted,
    onAnswered: ({ audience, messageId }, member, at) =>
      followers.news.tell(audience, { messageId, member, state: 'answered', at }),
    onHeld: onHeldChanged,
  });
  const shared = {
    units,
    members,
    posting,
    nextStamp,
    authors,
    audit,
  } satisfies Partial<MessagesDeps>;
  const messages = createMessages({
    ...shared,
    streams: streams.team,
    idempotency,
    frames,
    floor: retention.messageFloor,
    hasFiles: files.isEnabled,
    isKept: retention.keeps,
    heldMembers: retention.heldMembers,
    clock,
  });
  const objectives = createObjectives({
    ...shared,
    files,
    mintId: mintObjectiveId,
    outbox,
    onDone: onObjectiveDone,
    onReleased: (id) => streams.announceChange('objective', id, 'everyone'),
    onWriteDeferred,
  });
  return {
    ...followers,
    messages,
    objectives,
    holds: createHolds({
      units,
      authors,
      audit,
      isMember: (name) => members.find(name) !== undefined,
      deliver: (post) =>
        parseScopeKey(post.scope).kind === 'objective'
          ? objectives.releasePost(post)
          : messages.release(post),
      onChanged: onHeldChanged,
      log,
    }),
    files,
    idempotency,
    outbox,
    retention,
    channels: composeChannels(foundation, people, followers.news),
  };
}

const damagedStores = (
  { store: main }: Foundation['mainStore'],
  { store: activity }: Foundation['activityStore'],
): DamagedStore[] => [
  ...(main.damage === null ? [] : [{ store: 'main' as const, cause: main.damage }]),
  ...(activity.damage === null ? [] : [{ store: 'activity' as const, cause: activity.damage }]),
];

function composeChannels(
  { units, audit, storeCreatedAt, clock }: Foundation,
  { members, streams }: People,
  receiptNews: ReceiptNewsBoard,
): Channels {
  return createChannels({
    units,
    members,
    audit,
    clock,
    mintId: mintChannelId,
    since: storeCreatedAt,
    onChanged(id, { told, insiders }) {
      const managers = members.managers();
      if (insiders !== null)
        receiptNews.hide(
          formatScope({ kind: 'channel', channelId: id }),
          new Set([...insiders, ...managers]),
        );
      streams.announceChange(
        'channel',
        id,
        told === 'everyone' ? told : [...new Set([...told, ...managers])],
      );
    },
  });
}

function composeRetention(foundation: Foundation, { members }: People): Retention {
  const { units, activityStore, config, teardown, clock, clockWatch, log } = foundation;
  const activityUnits = activityStore.store.units;
  const retention = createRetention({
    units,
    activityUnits,
    config,
    members,
    mintId: randomUUID,
    clockWatch,
    clock,
    log,
  });
  teardown.defer(retention.stop);
  return retention;
}

function composeFiles(foundation: Foundation, { members }: People): Files {
  const { units, mainStore, storeId, sharedMark, config, audit, teardown, clock, log } = foundation;
  const owner = { storeId, isOnDisk: mainStore.file !== null, sharedMark };
  const unreferenced = (hashes: string[]) => units.unreferencedBlobs(hashes);
  const blobs = createBlobStore({
    root: () => filesRootOf(config.path, config.current?.files?.root ?? 'files'),
    openPlace: (root) =>
      isBucket(root)
        ? openBucketPlace({
            root,
            owner,
            incoming: `${config.path}.incoming`,
            unreferenced,
            env: process.env,
          })
        : openBlobFolder(root, owner, unreferenced),
    minFreeBytes: () => config.current?.files?.minFreeBytes ?? null,
    unreferenced,
    log,
  });
  const files = createFiles({ units, blobs, config, members, audit, clock, log });
  teardown.defer(files.close);
  return files;
}

function composeFollowers(foundation: Foundation, { members, presence, streams }: People): Followers {
  const {
    units,
    mainStore,
    activityStore,
    config,
    outbound,
    expiries,
    onWriteDeferred,
    teardown,
    clock,
    clockWatch,
    log,
  } = foundation;
  const indexer = createIndexer({
    units,
    members,
    onError: (err) => log.warn({ err }, 'indexing is put off'),
    onDamage: () => mainStore.store.noteDamage('the search index is damaged', 'fillIndex'),
  });
  teardown.defer(indexer.stop);
  const news = createReceiptNews({
    announce: streams.announceReceipt,
    announceMany: streams.announceReceipts,
    managers: members.managers,
  });
  teardown.defer(news.stop);
  const delivered = createDelivered({
    units,
    streams: streams.team,
    onDelivered: news.delivered,
    onWriteDeferred,
  });
  teardown.defer(delivered.stop);
  const webPush = createWebPush({ units, clock, config, members, outbound, expiries, onWriteDeferred, log });
  teardown.defer(webPush.close);
  const growth = createStoreGrowth({
    files: { main: mainStore.file, activity: activityStore.file },
    clock,
    log,
  });
  const receipts = createReceipts({
    units,
    members,
    indexer,
    delivered,
    clock,
    refusalOf: presence.refusalOf,
    onReceipt: news.tell,
    onOwnRead: (notice) => streams.announceReceipt([notice.member], notice),
  });
  return {
    indexer,
    search: createSearch({ units, members, indexer }),
    receipts,
    attention: createAttention({
      units,
      receipts,
      growth,
      clockWatch,
      damagedStores: () => damagedStores(mainStore, activityStore),
      clock,
    }),
    growth,
    news,
    webPush,
  };
}
