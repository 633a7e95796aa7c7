/** A guard of connections for tests of listeners that are not about limits. */
import { limits } from '#protocol/limits.ts';
import {
  type ConnectionGuard,
  type ConnectionGuardOptions,
  createConnectionGuard,
} from '../wire/connection-guard.ts';

/** Its limits are the real ones unless `options` say otherwise. */
export const testGuard = (options: Partial<ConnectionGuardOptions> = {}): ConnectionGuard =>
  createConnectionGuard({
    caps: () => limits.connections,
    isExempt: () => false,
    onLimit: () => undefined,
    ...options,
  });
