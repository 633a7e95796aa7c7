/** The sentence of an error for the member. */
import { BrokerError } from '#protocol/errors.ts';
import { sentenceOfRefusal } from './sentence-of.rules.ts';

export const sentenceOf = (error: unknown): string => {
  if (error instanceof BrokerError) return sentenceOfRefusal(error.reason, error.message);
  if (error instanceof TypeError)
    return `This page has a fault: ${error.message}. Load it again, and report the fault if it stays.`;
  return error instanceof Error ? error.message : String(error);
};
