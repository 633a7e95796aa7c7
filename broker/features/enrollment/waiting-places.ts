import { isPublicAddress } from '../../security/public-address.ts';

/** Devices that wait at a time. */
const places = { fromAnywhere: 900, fromNetwork: 980, all: 1000 };

/**
 * Returns the number of devices that may wait when one from this address asks. The last places are kept for those nearer
 * to the broker, so that strangers cannot lock them out.
 */
export function maxWaiting(sourceIp: string): number {
  if (isPublicAddress(sourceIp)) return places.fromAnywhere;
  return isLoopback(sourceIp) ? places.all : places.fromNetwork;
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');
