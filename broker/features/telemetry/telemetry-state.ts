/**
 * The telemetry state file: off until a person enables it, and at most one event of each kind per enabled
 * session (specification/configuration.md#telemetry-file).
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { codeOf, codeText } from '#platform/error-text.ts';
import { replacePrivateFile } from '#platform/private-file.ts';

export const TelemetryState = z.object({
  enabled: z.boolean(),
  /** 128 random bits in base64url. */
  installId: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  enabledAt: z.iso.datetime(),
  bootEventSent: z.boolean(),
  missionEventSent: z.boolean(),
});
export type TelemetryState = z.infer<typeof TelemetryState>;

const newId = (): string => randomBytes(16).toString('base64url');

/**
 * Returns null if telemetry was never enabled. @throws Error with one sentence if the file is damaged; it is
 * left as it is.
 */
export async function readTelemetry(path: string): Promise<TelemetryState | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new Error(
      `the telemetry state ${path} cannot be read (${codeText(error)}): check its owner and mode`,
    );
  }
  const state = z.string().transform(toJson).pipe(TelemetryState).safeParse(text);
  if (state.success) return state.data;
  throw new Error(
    `the telemetry state ${path} is damaged and was left as it is: delete it, and telemetry is off`,
  );
}

function toJson(text: string, context: z.RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
}

export const writeTelemetry = (path: string, state: TelemetryState): Promise<void> =>
  replacePrivateFile(path, `${JSON.stringify(state, null, 2)}\n`);

/**
 * Begins a new session, in which both events may be sent again. The install id stays; enabling what is
 * enabled changes nothing.
 */
export function enabledState(present: TelemetryState | null, now: number): TelemetryState {
  if (present?.enabled) return present;
  return {
    enabled: true,
    installId: present?.installId ?? newId(),
    enabledAt: new Date(now).toISOString(),
    bootEventSent: false,
    missionEventSent: false,
  };
}

/** A new id, and both flags reset. */
export const rotatedState = (present: TelemetryState): TelemetryState => ({
  ...present,
  installId: newId(),
  bootEventSent: false,
  missionEventSent: false,
});
