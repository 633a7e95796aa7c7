/** Enrolling a new authenticator (specification/authentication.md#totp). */
import type { TotpEnrollment } from '#protocol/member.ts';
import { totpField } from '../../config/admit-config.ts';
import { withChangedMember } from '../../config/changed-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { Actor } from '../../runtime/actor.ts';
import { mintTotpSecret, totpUri } from '../../security/totp.ts';
import type { KnownDevices } from './known-devices.service.ts';
import type { Sessions } from './sessions.service.ts';
import type { SessionUnits } from './sessions.sqlite.ts';

export interface Authenticator {
  /**
   * Replaces the TOTP secret, so that the old one stops working at once, and ends the sessions that the old
   * one opened, except the caller's own: a lost device is locked out, and the caller is not. @throws
   * BrokerError not_found.
   */
  enroll(member: string, actor: Actor): Promise<TotpEnrollment>;
}

export interface AuthenticatorDeps {
  config: ConfigStore;
  sessions: Sessions;
  devices: Pick<KnownDevices, 'forgetMember'>;
  units: SessionUnits;
}

export function createAuthenticator({ config, sessions, devices, units }: AuthenticatorDeps): Authenticator {
  return {
    async enroll(name, actor) {
      const secret = mintTotpSecret();
      const totpSecret = config.seal(secret, totpField(name));
      const { team } = await config.update((current) =>
        withChangedMember(current, name, (member) => ({ ...member, totpSecret })),
      );
      const ended = sessions.idsOf(name).filter((id) => id !== actor.credentialId);
      const record = sessions.endRecord(name, { ids: ended, withDevices: true }, 'session_ended');
      sessions.forget(ended);
      devices.forgetMember(name);
      // Runs before the secret is returned, so that no used step of its own can be lost here.
      await units.forgetAuthenticator({ member: name, sessions: ended, audit: record });
      return { totpSecret: secret, totpUri: totpUri(team.name, name, secret) };
    },
  };
}
