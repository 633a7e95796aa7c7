/** The body of every reply that is not 2xx (specification/api.md#errors). */
import { z } from 'zod';
import { type ErrorCode, statusByCode } from './errors.ts';

const codes = Object.keys(statusByCode) as [ErrorCode, ...ErrorCode[]];

export const ErrorReply = z
  .object({
    error: z.enum(codes),
    message: z.string().meta({ description: 'A sentence for a person. Programs do not compare it.' }),
    reason: z.string().optional().meta({
      description:
        'A stable identifier of the refusal; docs/generated/errors.md lists all of them. Older brokers omit it.',
    }),
    details: z.unknown().optional(),
    errorDescription: z.string().nullish(),
  })
  .meta({ id: 'ErrorReply' });
export type ErrorReply = z.infer<typeof ErrorReply>;
