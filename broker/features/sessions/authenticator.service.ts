/** Enrolling a new authenticator (specification/authentication.md#totp). */
import { refuse } from '#protocol/errors.ts';
import type { TotpEnrollment } from '#protocol/member.ts';
import type { TotpReplacement } from '#protocol/setup.ts';
import { totpField } from '../../config/admit-config.ts';
import { withChangedMember } from '../../config/changed-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import { mintTotpSecret, totpUri } from '../../security/totp.ts';
import type { KnownDevices } from './known-devices.service.ts';
import type { Sessions } from './sessions.service.ts';
import type { SessionUnits } from './sessions.sqlite.ts';

export interface Authenticator {
  /**
   * Replaces the TOTP secret, so that the old one stops working at once, and ends the sessions that the old
   * one opened, except the caller's own: a lost device is locked out, and the caller is not. A confirmed secret
   * is bound with its code, which is used up. @throws BrokerError not_found, authenticator_code_wrong.
   */
  enroll(member: string, confirmed: TotpReplacement['confirmed'], actor: Actor): Promise<TotpEnrollment>;
  /** Stores nothing: `enroll` gets the secret back with a code. @throws BrokerError not_found. */
  propose(member: string): TotpEnrollment;
}

export interface AuthenticatorDeps {
  config: ConfigStore;
  sessions: Sessions;
  devices: Pick<KnownDevices, 'forgetMember'>;
  units: SessionUnits;
  clock: Clock;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { config, sessions, devices, units, clock } = deps;

  /** The step of the code that confirms it; null if it needs none. @throws BrokerError. */
  async function confirmedStep(confirmed: TotpReplacement['confirmed']): Promise<number | null> {
    if (confirmed === undefined) return null;
    const { totpStepOf } = await import('../../security/totp-codes.ts');
    return totpStepOf(confirmed.totpSecret, confirmed.code, clock()) ?? refuse('authenticator_code_wrong');
  }

  return {
    propose(name) {
      const { team, store } = config.current ?? refuse('not_set_up');
      if (!store.members.some((member) => member.name === name)) refuse('unknown_member', { name });
      const totpSecret = mintTotpSecret();
      return { totpSecret, totpUri: totpUri(team.name, name, totpSecret) };
    },
    async enroll(name, confirmed, actor) {
      const step = await confirmedStep(confirmed);
      const secret = confirmed?.totpSecret ?? mintTotpSecret();
      const totpSecret = config.seal(secret, totpField(name));
      const { team } = await config.update((current) =>
        withChangedMember(current, name, (member) => ({ ...member, totpSecret })),
      );
      const ended = sessions.idsOf(name).filter((id) => id !== actor.credentialId);
      const record = sessions.endRecord(name, { ids: ended, withDevices: true }, 'session_ended');
      sessions.forget(ended);
      devices.forgetMember(name);
      // Runs before the secret is returned, so that no used step of its own can be lost here.
      await units.forgetAuthenticator({ member: name, sessions: ended, step, audit: record });
      return { totpSecret: secret, totpUri: totpUri(team.name, name, secret) };
    },
  };
}
