/** Runs of agents, and the lease that one run of a member holds at a time (specification/presence.md#runs). */
import { z } from 'zod';
import { MemberName, Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

const Host = text(1, limits.run.host);
const Agent = text(1, limits.run.agent);

export const RunClaim = z
  .object({
    /** Chosen by the runner. A repeated claim of the same run renews its lease. */
    runId: z.uuid(),
    host: Host,
    agent: Agent,
    pid: z.int().positive().optional(),
    /** Earlier runs that the runner knows to be dead. */
    replaces: z.array(z.uuid()).max(limits.run.replaces).optional(),
    /** Ends the run that holds the lease. */
    takeOver: z.literal(true).optional(),
  })
  .meta({ id: 'RunClaim' });
export type RunClaim = z.infer<typeof RunClaim>;

/** The part of the team's tools and messages that reaches an agent which has not asked for the tools. */
export const Reach = z.enum(['nothing', 'messages']);
export type Reach = z.infer<typeof Reach>;

/** `isResponding`: whether the runner has renewed its lease within the last 45 s. `reach`: absent for an agent that has asked for the tools, or may still. */
export const RunPresence = z
  .object({
    host: z.string(),
    agent: z.string(),
    since: Timestamp,
    isResponding: z.boolean(),
    reach: Reach.optional(),
  })
  .meta({ id: 'RunPresence' });
export type RunPresence = z.infer<typeof RunPresence>;

export const Run = RunPresence.extend({
  runId: z.uuid(),
  member: MemberName,
  pid: z.int().nullable(),
}).meta({ id: 'Run' });
export type Run = z.infer<typeof Run>;

/** Holds until the next renewal. */
export const RunRenewal = z.object({ reach: Reach.optional() }).meta({ id: 'RunRenewal' });
export type RunRenewal = z.infer<typeof RunRenewal>;

export const RunReply = z.object({ run: Run }).meta({ id: 'RunReply' });
export type RunReply = z.infer<typeof RunReply>;

/** `id` differs for each request, so that a run obeys each once. `by`: who asked. */
export const RunInterruption = z.object({ id: z.uuid(), by: z.string() }).meta({ id: 'RunInterruption' });
export type RunInterruption = z.infer<typeof RunInterruption>;

/**
 * `tokenExpiresAt`: until when the token of the request is valid; null if it does not expire. `interruption` is there for a minute after
 * somebody asked the run to interrupt its agent.
 */
export const RenewedRun = RunReply.extend({
  tokenExpiresAt: Timestamp.nullable(),
  interruption: RunInterruption.optional(),
}).meta({ id: 'RenewedRun' });
export type RenewedRun = z.infer<typeof RenewedRun>;

export const RunList = z.object({ runs: z.array(Run) }).meta({ id: 'RunList' });
export type RunList = z.infer<typeof RunList>;

export const RunTokenRequest = z
  .object({ label: text(0, limits.tokenLabel) })
  .meta({ id: 'RunTokenRequest' });
export type RunTokenRequest = z.infer<typeof RunTokenRequest>;

export const RunParams = z.object({ id: z.string() });

/** `since`: of the run as presence shows it, so that a later run is not meant by mistake. */
export const RunAddress = z.object({ since: Timestamp }).meta({ id: 'RunAddress' });
export type RunAddress = z.infer<typeof RunAddress>;
