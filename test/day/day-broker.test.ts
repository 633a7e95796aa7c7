import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker } from '../../broker/testing/test-broker.ts';
import { createDayBroker } from './day-broker.ts';
import type { Step } from './day-step.ts';

const post = { label: 'm1', words: [], mentions: [], attachments: [] };

describe('the broker of the day', () => {
  it.for<{ name: string; step: Step; scope: string }>([
    {
      name: 'a note of a member that comes back',
      step: { kind: 'comeBack', by: 'ben', label: 'm1' },
      scope: 'dm:ben:ben',
    },
    {
      name: 'a push',
      step: { kind: 'push', by: 'ben', to: 'ada', channel: null, ...post },
      scope: 'dm:ada:ben',
    },
  ])('learns the id of $name from the answer', async ({ step, scope }) => {
    const team = await startTestBroker();
    onTestFinished(() => team.stop());
    const broker = createDayBroker(team);
    onTestFinished(() => broker.close());
    expect(await broker.perform(step)).toEqual({ status: 200 });
    expect(await broker.perform({ kind: 'read', by: 'ben', scope, upTo: 'm1' })).toEqual({ status: 204 });
  });
});
