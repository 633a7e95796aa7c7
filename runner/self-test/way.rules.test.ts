import { describe, expect, it } from 'vitest';
import {
  type HookEvidence,
  hookResult,
  type OwnedEvidence,
  steerResult,
  toolsResult,
  wakeResult,
} from './way.rules.ts';

const common = {
  refusal: null,
  exit: null,
  problem: null,
  isOver: false,
  isSlow: false,
  limitMs: 24_000,
  lastOutput: '',
  timeOf: () => '14:05',
};
const healthy: OwnedEvidence = {
  ...common,
  wokenAt: 1000,
  wake: { at: 2200, turns: 1 },
  isInitialized: true,
  isListed: true,
  calledAt: 2300,
  steeredAt: 2400,
  steer: { at: 3400, turns: 1 },
  isObserved: true,
};
const refusing = { refusal: { cause: 'limit', until: 1, detail: 'slow down' } } as const;

describe('what a self-test says', () => {
  it('names what was proven, and in how long', () => {
    expect(wakeResult(healthy).detail).toBe('the model answered a request with the message (1.2 s)');
    expect(toolsResult(healthy).detail).toBe('the model called a tool of the bridge (1.3 s)');
    expect(steerResult(healthy).detail).toBe(
      'the model answered a request with the message, in the turn under way (1.0 s)',
    );
  });

  it('never calls the agent’s own report an answer that was seen', () => {
    expect(wakeResult({ ...healthy, isObserved: false }).detail).toContain('the agent reports');
  });

  it.each([
    ['login', 'the model refuses: not logged in', /log in/],
    ['limit', 'the model refuses: a limit is reached', /another account/],
    ['overloaded', 'the model refuses: overloaded', /later/],
    ['unreachable', 'the model refuses: unreachable', /network/],
    ['rejected', 'the model refuses: the request was rejected', /settings/],
  ] as const)('has a remedy for the cause %s', (cause, detail, remedy) => {
    const result = wakeResult({ ...healthy, wake: null, refusal: { cause } });
    expect(result).toMatchObject({ outcome: 'failed', detail, remedy: expect.stringMatching(remedy) });
  });

  it('names the cause if the model refuses after it called the tool', () => {
    const evidence = { ...healthy, ...refusing, steer: null };
    expect(wakeResult(evidence).outcome).toBe('ok');
    expect(steerResult(evidence).detail).toBe('the model refuses: limit until 14:05 (slow down)');
  });

  it('tells a model that calls no tool from an agent that offers none', () => {
    const none = { ...healthy, calledAt: null, steeredAt: null, steer: null };
    expect(toolsResult(none).detail).toBe('the model answered, but called no tool');
    expect(toolsResult({ ...none, isListed: false }).detail).toContain('did not ask the bridge');
    expect(toolsResult({ ...none, isInitialized: false }).detail).toContain('did not connect');
    expect(steerResult(none).detail).toContain('the model called no tool');
    expect(steerResult({ ...none, wake: null }).detail).toBe('not tested: the model did not answer');
  });

  it('fails if a message waited for the next turn', () => {
    expect(steerResult({ ...healthy, steer: { at: 3400, turns: 2 } }).outcome).toBe('failed');
  });

  const hook: HookEvidence = { ...common, askedAt: null, proof: null, hasCalled: true };

  it('tells a hook that did not run from one whose message was not answered', () => {
    expect(hookResult('stop', hook)).toMatchObject({
      outcome: 'failed',
      detail: 'the agent did not run the hook',
    });
    expect(hookResult('stop', { ...hook, askedAt: 1 }).detail).toMatch(/^the turn ended/);
    expect(hookResult('stop', { ...hook, isOver: true }).detail).toMatch(/^not tested: out of time/);
    expect(hookResult('tools', { ...hook, hasCalled: false }).outcome).toBe('not tested');
    expect(hookResult('prompt', { ...hook, askedAt: 1, proof: { at: 501, turns: 0 } }).detail).toMatch(
      /\(0\.5 s\)$/,
    );
  });

  it('does not call a model broken that is only slow, and says how it gets more time', () => {
    const late = { ...healthy, isOver: true, isSlow: true, steer: null };
    expect(steerResult(late)).toEqual({
      check: 'steer',
      outcome: 'not tested',
      detail: 'not tested: out of time; if the model is slow, pass --timeout 120',
    });
    expect(toolsResult({ ...late, calledAt: null })).toMatchObject({ outcome: 'not tested' });
    expect(steerResult({ ...late, isSlow: false })).toMatchObject({ outcome: 'failed' });
    expect(wakeResult({ ...late, wake: null, isSlow: false })).toMatchObject({
      outcome: 'failed',
      remedy: expect.stringContaining('--timeout 120'),
    });
  });
});
