import { isRefusedFor } from '#protocol/errors.ts';

/** Returns what `work` returns, or null if the store that it needs is damaged or cannot be used. */
export async function unlessDamaged<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isRefusedFor(error, 'store_damaged')) return null;
    throw error;
  }
}

/** Those who are told of the damage get null in place of what cannot be read; all others are refused. */
export const unlessDamagedFor =
  (isTold: boolean) =>
  <T>(work: Promise<T>): Promise<T | null> =>
    isTold ? unlessDamaged(work) : work;
