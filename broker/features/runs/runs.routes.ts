import type { Handlers } from '../../http/route.ts';
import type { RunTokens } from '../tokens/run-tokens.service.ts';
import type { Runs } from './runs.service.ts';

export const runRoutes = (runs: Runs, runTokens: RunTokens): Handlers => ({
  runs: ({ actor }) => runs.list(actor),
  takeRun: async ({ actor, body, confirm }) => {
    const run = await runs.take(actor.name, body, confirm);
    // A run that was told to end returns its own token.
    if (body.takeOver !== true) await runTokens.endLeft(actor.name, actor.credentialId);
    return { run };
  },
  renewRun: async ({ actor, params, body }) => {
    const run = runs.renew(actor.name, params.id, body?.reach);
    const interruption = runs.interruptionOf(actor.name, params.id);
    const tokenExpiresAt = (await runTokens.extend(actor.credentialId)) ?? actor.expiresAt;
    return { run, tokenExpiresAt, ...(interruption && { interruption }) };
  },
  endRun: async ({ actor, params }) => {
    await runs.end(actor.name, params.id);
    return undefined;
  },
  stopRun: async ({ actor, params, body }) => {
    await runs.stop(params.name, body.since, actor.name);
    return undefined;
  },
  interruptRun: async ({ actor, params, body }) => {
    await runs.interrupt(params.name, body.since, actor.name);
    return undefined;
  },
  createRunToken: ({ actor, params, body }) => runTokens.create(params.name, actor, body.label),
});
