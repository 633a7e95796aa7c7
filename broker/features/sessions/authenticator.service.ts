/** Binding a new authenticator (specification "Members" 6; D4). */
import { refuse } from '#protocol/errors.ts';
import type { TotpEnrolment } from '#protocol/member.ts';
import { totpField } from '../../config/admit-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { Actor } from '../../runtime/actor.ts';
import { mintTotpSecret, totpUri } from '../../security/totp.ts';
import type { Sessions } from './sessions.service.ts';
import type { SessionUnits } from './sessions.sqlite.ts';

export interface Authenticator {
  /**
   * Puts a new TOTP secret in the place of the old one, which stops at once, and ends the sessions that the old one opened, but for
   * the one that asks: whoever has the lost device is out, whoever is here is not locked out. @throws BrokerError not_found.
   */
  enroll(member: string, actor: Actor): Promise<TotpEnrolment>;
}

export interface AuthenticatorDeps {
  config: ConfigStore;
  sessions: Sessions;
  units: SessionUnits;
}

export function createAuthenticator({ config, sessions, units }: AuthenticatorDeps): Authenticator {
  return {
    async enroll(name, actor) {
      const secret = mintTotpSecret();
      const { team } = await config.update((current) => {
        const member = current.store.members.find((one) => one.name === name);
        if (member === undefined) refuse('not_found', `there is no member named ${name}`);
        member.totpSecret = config.seal(secret, totpField(name));
        return current;
      });
      const ended = sessions.idsOf(name).filter((id) => id !== actor.credentialId);
      sessions.forget(ended);
      // Before the secret is told to anybody: no step of its own can be forgotten here.
      await units.forgetAuthenticator({ member: name, sessions: ended });
      return { totpSecret: secret, totpUri: totpUri(team.name, name, secret) };
    },
  };
}
