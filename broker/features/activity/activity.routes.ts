import { limits } from '#protocol/limits.ts';
import { jsonList } from '../../http/json-list.ts';
import { JsonReply } from '../../http/json-reply.ts';
import { declaredBytes, readBytes } from '../../http/read-bytes.ts';
import type { Handlers } from '../../http/route.ts';
import { openSse } from '../../http/sse.ts';
import type { ByteBudget } from '../../runtime/byte-budget.ts';
import type { Activity } from './activity.service.ts';

/** A header may occur more than once; the last one is what a proxy or client added last. */
const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.at(-1) : header;

const cap = limits.body.activity;

/** `intake` limits the memory for uploads that are not stored yet. */
export const activityRoutes = (activity: Activity, intake: ByteBudget): Handlers => ({
  async uploadActivity({ actor, upload, confirm }) {
    const release = await intake.reserve(actor.name, Math.min(declaredBytes(upload) ?? cap, cap));
    try {
      const bytes = await readBytes(upload, cap);
      const { name } = await confirm();
      return await activity.upload(name, bytes);
    } finally {
      release();
    }
  },
  activityRange: ({ params, query }) => jsonList('{"activity":', activity.range(params.name, query)),
  activityRow: async ({ params }) => new JsonReply(await activity.row(params.name, params.id)),
  activitySummaries: ({ params, query }) => activity.summaries(params.name, query),
  activityTranscript: ({ params, query }) => activity.transcript(params.name, query),
  teamActivity: ({ actor, query }) => activity.ofTeam(actor, query),
  summaryStream({ actor, query, headers, reply }) {
    const member = query.member ?? (actor.permissions.includes('activity.read') ? null : actor.name);
    if (member !== null) activity.refuseUnknown(member);
    const cursor = one(headers['last-event-id']) ?? query.lastEventId;
    activity.watchSummaries(actor, member, cursor, openSse(reply));
    return undefined;
  },
  activityUsage: ({ actor, query }) => activity.usage(actor, query),
  activityStream({ actor, params, query, headers, reply }) {
    activity.refuseUnknown(params.name);
    activity.watch(actor, params.name, one(headers['last-event-id']) ?? query.lastEventId, openSse(reply));
    return undefined;
  },
});
