/** An application with routes of a test, and a context that admits everybody. */
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { MemberName } from '#protocol/ids.ts';
import type { Actor } from '../../runtime/actor.ts';
import { createFairQueue } from '../../runtime/fair-queue.ts';
import { createLog } from '../../runtime/log.ts';
import { createSlots } from '../../runtime/slots.ts';
import { createApp } from '../app.ts';
import type { Handlers } from '../route.ts';

const actorNamed = (name: string): Actor => ({
  name: MemberName.parse(name),
  permissions: [],
  plane: 'bearer',
  credentialId: name,
  expiresAt: null,
  isRun: false,
});

export interface TestApp {
  app: FastifyInstance;
  /** Tokens that are not accepted anymore. */
  revoked: Set<string>;
}

/**
 * A member's token is its name. Each member has two turns of each kind, one stream, and one download. Closed when
 * the test is over.
 */
export async function startTestApp(handlers: Handlers): Promise<TestApp> {
  const revoked = new Set<string>();
  const app = createApp(
    {
      log: createLog({ destination: { write: () => undefined } }),
      isOwnHost: () => true,
      trustedProxies: [],
      authority: () => null,
      metrics: null,
      tracing: null,
      context: {
        credentials: {
          bearer: (token) => (revoked.has(token) ? null : actorNamed(token)),
          jwt: async () => null,
          session: () => null,
        },
        isSetUp: () => true,
        isClosing: () => false,
        isActive: () => true,
        onSeen: () => undefined,
        connections: { recognize: () => undefined, keepStream: () => undefined },
        replies: { begin: () => undefined },
        slots: { streams: createSlots(() => 1), downloads: createSlots(() => 1) },
        turns: {
          reads: createFairQueue({ all: 8, perKey: 2 }),
          changes: createFairQueue({ all: 8, perKey: 2 }),
          uploads: createFairQueue({ all: 8, perKey: 2 }),
        },
        holdLargeBodies: (_request, _reply, payload, done) => done(null, payload),
        countOwnChange: () => undefined,
        onLimit: () => undefined,
        growth: { admit: () => undefined },
        timings: { record: () => undefined },
      },
    },
    [handlers],
  );
  await app.ready();
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  return { app, revoked };
}
