/**
 * The first setup over HTTP, once, with the one-time key that the broker printed at start
 * (specification/team.md#setup).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { refuse } from '#protocol/errors.ts';
import type { SetupReply, SetupRequest } from '#protocol/setup.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import { firstConfig } from '../../config/first-config.ts';

export interface Setup {
  setUp(request: SetupRequest, key: string | undefined): Promise<SetupReply>;
}

export interface SetupDeps {
  config: ConfigStore;
  key: string;
  /** The folder of file blobs that the new configuration names. */
  filesRoot: string;
  /** Activates the new configuration: its token is valid when this resolves. */
  onConfigured: () => Promise<void>;
}

const digest = (value: string): Buffer => createHash('sha256').update(value).digest();

export function createSetup({ config, key, filesRoot, onConfigured }: SetupDeps): Setup {
  return {
    async setUp(request, presented) {
      if (config.current !== null) refuse('already_set_up');
      if (presented === undefined || !timingSafeEqual(digest(presented), digest(key))) {
        refuse('setup_key_wrong');
      }
      const first = firstConfig(request, { filesRoot, seal: config.seal });
      await config.create(first.config);
      await onConfigured();
      const [member] = first.config.store.members;
      if (member === undefined) throw new Error('the first configuration has no member');
      const { name, role, permissions } = member;
      return {
        member: { name, role, permissions },
        token: first.token,
        totpSecret: first.totpSecret,
        totpUri: first.totpUri,
      };
    },
  };
}
