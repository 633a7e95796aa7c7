/** The body of every reply that is not 2xx (specification/api.md#errors). */
import { z } from 'zod';
import { type ErrorCode, statusByCode } from './errors.ts';

const codes = Object.keys(statusByCode) as [ErrorCode, ...ErrorCode[]];

export const ErrorReply = z
  .object({
    error: z.enum(codes),
    message: z.string(),
    details: z.unknown().optional(),
    errorDescription: z.string().nullish(),
  })
  .meta({ id: 'ErrorReply' });
export type ErrorReply = z.infer<typeof ErrorReply>;
