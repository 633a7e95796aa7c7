/** Enrolling a new authenticator (specification/authentication.md#totp). */
import { refuse } from '#protocol/errors.ts';
import type { TotpEnrollment } from '#protocol/member.ts';
import type { TotpReplacement } from '#protocol/setup.ts';
import { totpField } from '../../config/admit-config.ts';
import { withChangedMember, withoutAuthenticator } from '../../config/changed-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { ConfigMember, SvcConfig } from '../../config/svc-config.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Envelope } from '../../security/envelope.ts';
import { mintTotpSecret, totpUri } from '../../security/totp.ts';
import type { KnownDevices } from './known-devices.service.ts';
import { bearerReserve } from './login-reserves.rules.ts';
import type { LoginReserves } from './login-reserves.ts';
import type { Sessions } from './sessions.service.ts';
import type { SessionUnits } from './sessions.sqlite.ts';

export interface Authenticator {
  /**
   * Replaces the TOTP secret, so that the old one stops working at once, and ends the sessions that the old
   * one opened, except the caller's own: a lost device is locked out, and the caller is not. A confirmed secret
   * is bound with its code, which is used up. Members replace their own with a code of the present one.
   * @throws BrokerError not_found, authenticator_code_wrong, present_code_needed, present_code_wrong, too_many_wrong_codes.
   */
  enroll(member: string, request: TotpReplacement, actor: Actor): Promise<TotpEnrollment>;
  /** Stores nothing: `enroll` gets the secret back with a code. @throws BrokerError not_found. */
  propose(member: string): TotpEnrollment;
}

export interface AuthenticatorDeps {
  config: ConfigStore;
  isLive: (actor: Actor) => boolean;
  sessions: Sessions;
  devices: Pick<KnownDevices, 'forgetMember'>;
  /** Those of logins: guesses at a present code count as guesses of the same holder at a login. */
  reserves: Pick<LoginReserves, 'begin'>;
  units: SessionUnits;
  clock: Clock;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { config, isLive, sessions, devices, reserves, units, clock } = deps;

  /** The step of the code that confirms it; null if it needs none. @throws BrokerError. */
  async function confirmedStep(confirmed: TotpReplacement['confirmed']): Promise<number | null> {
    if (confirmed === undefined) return null;
    const { totpStepOf } = await import('../../security/totp-codes.ts');
    return totpStepOf(confirmed.totpSecret, confirmed.code, clock()) ?? refuse('authenticator_code_wrong');
  }

  /** Returns the member's envelope if its secret can be read: one that cannot has no code. */
  function presentOf(member: ConfigMember | undefined): Envelope | null {
    const envelope = member?.totpSecret;
    return envelope && config.secret(envelope, totpField(member.name)) !== null ? envelope : null;
  }

  /** Uses up a code of the authenticator that its owner replaces. @throws BrokerError. */
  async function provePresent(name: string, envelope: Envelope, code: string | undefined): Promise<void> {
    if (code === undefined) return refuse('present_code_needed');
    const { totpStepOf } = await import('../../security/totp-codes.ts');
    const attempt = reserves.begin(name, [bearerReserve(name)]);
    const step = totpStepOf(config.secret(envelope, totpField(name)) ?? '', code, clock());
    const isUsed =
      step !== null &&
      (await units.spendTotpStep({ member: name, step }).catch((error: unknown) => {
        attempt.giveBack();
        throw error;
      }));
    if (!isUsed) refuse('present_code_wrong');
    attempt.succeeded(name);
  }

  /** Returns the id of the caller's own token with which it binds; undefined for none. */
  const tokenOf = ({ plane, credentialId }: Actor): string | undefined =>
    plane === 'bearer' ? credentialId : (sessions.tokenOf(credentialId) ?? undefined);

  return {
    propose(name) {
      const { team, store } = config.current ?? refuse('not_set_up');
      if (!store.members.some((member) => member.name === name)) refuse('unknown_member', { name });
      const totpSecret = mintTotpSecret();
      return { totpSecret, totpUri: totpUri(team.name, name, totpSecret) };
    },
    async enroll(name, { confirmed, presentCode }, actor) {
      const isOwn = actor.name === name;
      const memberOf = (current: SvcConfig | null) =>
        current?.store.members.find((member) => member.name === name);
      const present = isOwn ? presentOf(memberOf(config.current)) : null;
      // Before the present code is used up, so that it can be given again if the new one is wrong.
      const step = await confirmedStep(confirmed);
      if (present !== null) await provePresent(name, present, presentCode);
      const secret = confirmed?.totpSecret ?? mintTotpSecret();
      const totpSecret = config.seal(secret, totpField(name));
      const totpBoundWith = isOwn ? tokenOf(actor) : undefined;
      const { team } = await config.update((current) => {
        // Another one was bound since.
        if (isOwn && presentOf(memberOf(current))?.ct !== present?.ct) refuse('present_code_needed');
        return withChangedMember(current, name, (member) => ({ ...member, totpSecret, totpBoundWith }));
      });
      // A rotation that began meanwhile may have looked for it before it was bound.
      if (isOwn && !isLive(actor)) {
        await config.update((current) =>
          memberOf(current)?.totpSecret?.ct === totpSecret.ct
            ? withChangedMember(current, name, withoutAuthenticator)
            : current,
        );
        return refuse('unauthenticated');
      }
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
