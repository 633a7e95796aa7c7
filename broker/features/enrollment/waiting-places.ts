import { limits } from '#protocol/limits.ts';
import { isPublicAddress } from '../../security/public-address.ts';

/**
 * How many devices may wait when one from this address asks: the last places are kept for those nearer to the broker, so
 * that strangers cannot lock them out.
 */
export function maxWaiting(sourceIp: string): number {
  const { waiting } = limits.enrollment;
  if (isPublicAddress(sourceIp)) return waiting.fromAnywhere;
  return isLoopback(sourceIp) ? waiting.max : waiting.fromNetwork;
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');
