/**
 * The first setup over HTTP, once, with the one-time key that the broker printed at start
 * (specification/team.md#setup).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { StoresBlock } from '#platform/store-places.ts';
import { refuse } from '#protocol/errors.ts';
import type { TotpEnrollment } from '#protocol/member.ts';
import type { SetupReply, SetupRequest } from '#protocol/setup.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import { firstConfig } from '../../config/first-config.ts';
import type { Clock } from '../../runtime/clock.ts';
import { mintTotpSecret, totpUri } from '../../security/totp.ts';
import type { LoggedIn, Login, LoginSource } from '../sessions/login.service.ts';

/** The parts of a request beside its body. */
export interface SetupCaller {
  key: string | undefined;
  from: LoginSource;
}

export interface Setup {
  /** @throws BrokerError already_set_up, setup_key_wrong, setup_code_wrong; then nothing was written. */
  setUp(request: SetupRequest, caller: SetupCaller): Promise<{ reply: SetupReply; setCookies: string[] }>;
  /** Stores nothing: `setUp` gets the secret back with a code. @throws like setUp. */
  proposeAuthenticator(request: SetupRequest, key: string | undefined): TotpEnrollment;
}

export interface SetupDeps {
  config: ConfigStore;
  key: string;
  /** The folder of file blobs that the new configuration names. */
  filesRoot: string;
  /** The stores that this broker uses; undefined if both are in memory. */
  stores: StoresBlock | undefined;
  /** Activates the new configuration: its token is valid when this resolves. */
  onConfigured: () => Promise<void>;
  login: Login;
  /** Saves the token of a setup on this machine, and returns for which address; null if it did not. */
  keepToken: (token: string) => Promise<string | null>;
  clock: Clock;
  /** A step after the setup failed that the person can make up for. */
  onStepFailed: (error: unknown) => void;
}

const digest = (value: string): Buffer => createHash('sha256').update(value).digest();

export function createSetup(deps: SetupDeps): Setup {
  const { config, key, filesRoot, stores, onConfigured, login, keepToken, clock, onStepFailed } = deps;

  function admit(presented: string | undefined): void {
    if (config.current !== null) refuse('already_set_up');
    if (presented === undefined || !timingSafeEqual(digest(presented), digest(key))) {
      refuse('setup_key_wrong');
    }
  }

  async function check({ totpSecret, code }: NonNullable<SetupRequest['confirmed']>): Promise<void> {
    const { totpStepOf } = await import('../../security/totp-codes.ts');
    if (totpStepOf(totpSecret, code, clock()) === null) refuse('setup_code_wrong');
  }

  /** The broker is set up whether or not this succeeds, and a later code logs in. */
  async function open({ admin, confirmed }: SetupRequest, from: LoginSource): Promise<LoggedIn | null> {
    if (confirmed === undefined) return null;
    const { code, bound, remember } = confirmed;
    return login.logIn({ code, member: admin.name, bound, remember }, from).catch((error: unknown) => {
      onStepFailed(error);
      return null;
    });
  }

  return {
    async setUp(request, { key: presented, from }) {
      admit(presented);
      if (request.confirmed !== undefined) await check(request.confirmed);
      const first = firstConfig(request, { filesRoot, stores, seal: config.seal });
      await config.create(first.config);
      await onConfigured();
      const [member] = first.config.store.members;
      if (member === undefined) throw new Error('the first configuration has no member');
      const { name, role, permissions } = member;
      const { token, totpSecret, totpUri } = first;
      const opened = await open(request, from);
      const savedFor = from.isLocal ? await keepToken(token) : null;
      return {
        reply: {
          member: { name, role, permissions },
          token,
          totpSecret,
          totpUri,
          ...(opened !== null && { session: opened.session }),
          ...(savedFor !== null && { savedFor }),
        },
        setCookies: opened?.setCookies ?? [],
      };
    },
    proposeAuthenticator({ team, admin }, presented) {
      admit(presented);
      const totpSecret = mintTotpSecret();
      return { totpSecret, totpUri: totpUri(team.name, admin.name, totpSecret) };
    },
  };
}
