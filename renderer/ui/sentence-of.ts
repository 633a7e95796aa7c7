/** The sentence of an error for the member. */
import { BrokerError } from '#protocol/errors.ts';
import { sentenceOfRefusal } from './sentence-of.rules.ts';

export const sentenceOf = (error: unknown): string => {
  if (error instanceof BrokerError) return sentenceOfRefusal(error.reason, error.message);
  if (error instanceof TypeError)
    return 'The broker cannot be reached. Check the network, and that the broker is running.';
  return error instanceof Error ? error.message : String(error);
};
