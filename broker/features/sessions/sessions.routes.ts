import { refuse } from '#protocol/errors.ts';
import { hasForeignSession } from '../../http/authenticate.ts';
import { loginSource } from '../../http/login-source.ts';
import type { Handlers } from '../../http/route.ts';
import { clearedCookies } from '../../security/session-cookie.ts';
import type { Members } from '../members/members.service.ts';
import type { Authenticator } from './authenticator.service.ts';
import type { Login } from './login.service.ts';
import type { LoginKnocks } from './login-knocks.ts';
import type { LoginLinks } from './login-links.service.ts';
import type { Sessions } from './sessions.service.ts';

export interface SessionServices {
  login: Login;
  links: Pick<LoginLinks, 'create' | 'forget'>;
  sessions: Sessions;
  knocks: LoginKnocks;
  authenticator: Authenticator;
  members: Members;
}

export function sessionRoutes({
  login,
  links,
  sessions,
  knocks,
  authenticator,
  members,
}: SessionServices): Handlers {
  const known = (name: string) => members.find(name)?.name ?? refuse('unknown_member', { name });
  return {
    logIn: async (call) => {
      const { session, setCookies } = await login.logIn(call.body, loginSource(call));
      call.reply.header('set-cookie', setCookies);
      return session;
    },
    logInByLink: async (call) => {
      const { session, setCookies } = await login.logInByLink(call.body, loginSource(call));
      call.reply.header('set-cookie', setCookies);
      return session;
    },
    createConsoleLink: ({ actor }) => links.create(actor),
    session: ({ actor }) => {
      const member = members.find(actor.name);
      if (member === undefined) refuse('no_longer_a_member');
      return {
        member: member.name,
        role: member.role,
        permissions: member.permissions,
        expiresAt: actor.expiresAt,
      };
    },
    logOut: async ({ actor, headers, place, reply }) => {
      if (actor.plane === 'session') await sessions.logOut(actor.name, actor.credentialId);
      // The renewed cookies are already among the headers, and others would not replace them.
      reply
        .removeHeader('set-cookie')
        .header('set-cookie', clearedCookies(place, hasForeignSession(headers, place)));
      return undefined;
    },
    sessions: ({ actor, query: { member = actor.name } }) => ({
      sessions: sessions.list(known(member), actor.credentialId),
    }),
    openSessions: ({ actor, query }) => ({ sessions: sessions.listOpen(actor, query) }),
    endSession: async ({ actor, params, query: { member = actor.name } }) => {
      await sessions.endOne(known(member), params.id);
      return undefined;
    },
    loginFailures: () => knocks.report(),
    endSessions: async ({ actor, query: { member = actor.name, keep } }) => {
      links.forget(known(member));
      await sessions.endOthers(known(member), keep === undefined ? null : actor.credentialId);
      return undefined;
    },
    enrollTotp: ({ actor, params, body }) => authenticator.enroll(params.name, body, actor),
    proposeTotp: ({ params }) => authenticator.propose(params.name),
  };
}
