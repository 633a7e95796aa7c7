/** Why the model of an agent answers nothing, as the agent's runner observed it (specification/presence.md#model). */
import { z } from 'zod';
import { Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

/**
 * `login`: the agent is not logged in, or its key is refused. `limit`: a usage or rate limit. `overloaded`: the
 * service reports an error of its own. `unreachable`: there is no connection. `rejected`: the service refuses
 * this request.
 */
export const RefusalCause = z.enum(['login', 'limit', 'overloaded', 'unreachable', 'rejected']);
export type RefusalCause = z.infer<typeof RefusalCause>;

const cause = RefusalCause.describe('why the model refuses');
const until = Timestamp.describe('when the limit ends, if the service told').optional();
const detail = text(0, limits.modelDetail).describe('what the service said, without secrets').optional();

/** A runner's report about its model. */
export const ModelReport = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('refusing'), cause, until, detail }),
    z.object({ state: z.literal('working') }),
  ])
  .meta({ id: 'ModelReport' });
export type ModelReport = z.infer<typeof ModelReport>;

/** As every member sees it. `since`: when the runner first reported it. */
export const ModelRefusal = z.object({ cause, since: Timestamp, until }).meta({ id: 'ModelRefusal' });
export type ModelRefusal = z.infer<typeof ModelRefusal>;

/** As those see it who may see a message's receipts. */
export const DetailedRefusal = ModelRefusal.extend({ detail }).meta({ id: 'DetailedRefusal' });
export type DetailedRefusal = z.infer<typeof DetailedRefusal>;
