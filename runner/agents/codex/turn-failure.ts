/** Why a turn of Codex was not completed, in its own words (seen on 0.169.0). */
import { z } from 'zod';
import type { TurnFailure } from '../../delivery/model-refusal.rules.ts';

/** A word, such as `usageLimitExceeded`, or one with details: `{ httpConnectionFailed: { httpStatusCode } }`. */
const ErrorInfo = z.union([
  z.string(),
  z.record(z.string(), z.object({ httpStatusCode: z.number().nullish() })),
]);

export const TurnError = z.object({
  message: z.string(),
  codexErrorInfo: ErrorInfo.nullish().catch(null),
  additionalDetails: z.string().nullish(),
});
type TurnError = z.infer<typeof TurnError>;

/** Null for a turn that its model completed. */
export function turnFailureOf(status: string, error: TurnError | null): TurnFailure | null {
  if (error === null)
    return status === 'completed' ? null : { status: null, kind: 'interrupted', message: status };
  const info = error.codexErrorInfo ?? null;
  const [kind, details] =
    info === null || typeof info === 'string' ? [info] : (Object.entries(info)[0] ?? [null]);
  return {
    status: details?.httpStatusCode ?? null,
    kind,
    message: error.additionalDetails ?? error.message,
  };
}
