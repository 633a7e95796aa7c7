/** How the broker is doing (D19), for managers. */
import { z } from 'zod';
import { Timestamp } from './ids.ts';

export const StoreDiagnostics = z
  .object({
    name: z.string(),
    /** False in memory: lost with the process. */
    isOnDisk: z.boolean(),
    /** Of the file and its log; 0 in memory. */
    bytes: z.int().nonnegative(),
    /** Units of work that wait for an answer. */
    queued: z.int().nonnegative(),
    lastCommitAt: Timestamp.nullable(),
  })
  .meta({ id: 'StoreDiagnostics' });
export type StoreDiagnostics = z.infer<typeof StoreDiagnostics>;

/** Delays in ms since the last minute began. */
export const EventLoopDelay = z.object({ p50: z.number(), p99: z.number(), max: z.number() });

export const Diagnostics = z
  .object({
    version: z.string(),
    startedAt: Timestamp,
    /** ms */
    uptime: z.int().nonnegative(),
    listeners: z.array(z.object({ url: z.string(), fingerprint: z.string().nullable() })),
    /** Open live streams. */
    streams: z.object({ messages: z.int().nonnegative(), activity: z.int().nonnegative() }),
    /** Bytes that live streams have not taken yet, all together and the slowest. */
    waitingBytes: z.object({ total: z.int().nonnegative(), most: z.int().nonnegative() }),
    eventLoopDelay: EventLoopDelay,
    /** Resident memory of the process. */
    memoryBytes: z.int().nonnegative(),
    stores: z.array(StoreDiagnostics),
    /** The block in force: the bound platform's, else the configuration's (ADR 0011). */
    federation: z.object({ issuer: z.string(), audience: z.string(), jwksUrl: z.string() }).nullable(),
    /** `endpoint`: without query; null when nothing can be sent. */
    telemetry: z.object({ isEnabled: z.boolean(), endpoint: z.string().nullable() }),
    /** The limits in force; sizes in bytes, durations in ms. */
    limits: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Diagnostics' });
export type Diagnostics = z.infer<typeof Diagnostics>;
