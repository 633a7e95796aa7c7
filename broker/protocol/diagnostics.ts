/** The broker's health, for managers (specification/diagnostics.md#diagnostics). */
import { z } from 'zod';
import { ClockTrouble } from './clock-trouble.ts';
import { Timestamp } from './ids.ts';

export const StoreDiagnostics = z
  .object({
    name: z.string(),
    /** False in memory: lost with the process. */
    isOnDisk: z.boolean(),
    fileId: z
      .string()
      .optional()
      .describe('Device and number of the file, which tell it from others on its machine; absent in memory.'),
    /** The size of the file and its log; 0 in memory. */
    bytes: z.int().nonnegative(),
    /** Units of work that wait for an answer. */
    queued: z.int().nonnegative(),
    lastCommitAt: Timestamp.nullable(),
    damage: z
      .string()
      .optional()
      .describe(
        'The first damage that was found, or why the store cannot be used; absent if none was found.',
      ),
  })
  .meta({ id: 'StoreDiagnostics' });
export type StoreDiagnostics = z.infer<typeof StoreDiagnostics>;

/** Delays in ms since the last minute began. */
export const EventLoopDelay = z.object({ p50: z.number(), p99: z.number(), max: z.number() });

const spread = {
  p50Ms: z.number().describe('Median, in milliseconds, at most a fifth too high.'),
  p99Ms: z.number().describe('99th percentile, in milliseconds, at most a fifth too high.'),
  maxMs: z.number().describe('Longest, in milliseconds.'),
};
const Spread = z.object(spread);

const count = z.int().nonnegative();

export const OperationTiming = z
  .object({
    operation: z.string().describe('The operationId of the API description.'),
    count: count.describe(
      'Requests since the broker started that passed authentication, refused ones included.',
    ),
    ...spread,
    phases: z
      .object({
        checks: Spread.describe('Authentication, validation against the schemas, and permissions.'),
        body: Spread.describe('Waiting for the request body and parsing it; raw bodies count as rest.'),
        queue: Spread.describe('Waiting for the store: until its thread takes the work, and for the answer.'),
        statements: Spread.describe('Statements of the transaction that had the work, which requests share.'),
        commit: Spread.describe('Commit of that transaction to disk; 0 for reads.'),
        rest: Spread.describe(
          'Everything else: the work of the service, raw bodies, serialization, and handing frames to live streams.',
        ),
      })
      .describe('The parts of the duration, in milliseconds.'),
  })
  .meta({
    id: 'OperationTiming',
    description: 'The time that the requests of one operation spent in each phase.',
  });

export const Diagnostics = z
  .object({
    version: z.string(),
    startedAt: Timestamp,
    /** ms */
    uptime: z.int().nonnegative(),
    listeners: z.array(z.object({ url: z.string(), fingerprint: z.string().nullable() })),
    /** Open live streams. */
    streams: z.object({ messages: z.int().nonnegative(), activity: z.int().nonnegative() }),
    /** Bytes that live streams have not taken yet: all together, and of the slowest. */
    waitingBytes: z.object({ total: z.int().nonnegative(), most: z.int().nonnegative() }),
    eventLoopDelay: EventLoopDelay,
    /** The resident memory of the process. */
    memoryBytes: z.int().nonnegative(),
    stores: z.array(StoreDiagnostics),
    operations: z
      .array(OperationTiming)
      .describe(
        'Durations of requests since the broker started, for each operation that was called, by name.',
      ),
    fanOut: z
      .object({ count, ...spread })
      .describe('How long it took to write the messages of one turn to all of their live streams.'),
    /** The block in force: the bound platform's, or else the configuration's (ADR 0011). */
    federation: z.object({ issuer: z.string(), audience: z.string(), jwksUrl: z.string() }).nullable(),
    /** `endpoint`: without the query; null if nothing can be sent. */
    telemetry: z.object({ isEnabled: z.boolean(), endpoint: z.string().nullable() }),
    filesFault: z
      .string()
      .optional()
      .describe('Why files are off although they are configured; absent if they are not off.'),
    clock: ClockTrouble.optional().describe('The fault of the clock; absent if there is none.'),
    /** The limits in force; sizes in bytes, durations in ms. */
    limits: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Diagnostics' });
export type Diagnostics = z.infer<typeof Diagnostics>;
