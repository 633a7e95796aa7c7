import { expect, it } from 'vitest';
import type { ObjectiveEvent } from '#protocol/objective.ts';
import { maxSteps, stepsSentence, tokensSentence, usageRange, workersOf } from './work.rules.ts';

const assigned = (ts: number, assignee: string) =>
  ({ kind: 'assigned', ts, payload: { assignee } }) as ObjectiveEvent;
const reassigned = (ts: number, from: string, to: string) =>
  ({ kind: 'reassigned', ts, payload: { from, to, note: null } }) as ObjectiveEvent;

it('names everybody who had it, the newest first, from the first time to the last', () => {
  const events = [assigned(1, 'ben'), reassigned(5, 'ben', 'kim'), reassigned(9, 'kim', 'ben')];
  expect(workersOf(events)).toEqual([
    { member: 'ben', from: 1, to: null },
    { member: 'kim', from: 5, to: 9 },
  ]);
});

it.each(['completed', 'cancelled'])('says that the last one had it until it was %s', (kind) => {
  const ended = { kind, ts: 12, payload: {} } as ObjectiveEvent;
  expect(workersOf([assigned(1, 'ben'), reassigned(5, 'ben', 'kim'), ended])).toEqual([
    { member: 'kim', from: 5, to: 12 },
    { member: 'ben', from: 1, to: 5 },
  ]);
});

it('asks for the tokens of a bounded time', () => {
  const day = 86_400_000;
  expect(usageRange({ member: 'ben', from: 0, to: null }, 1000 * day)).toEqual({
    from: 601 * day,
    to: 1000 * day,
  });
  expect(usageRange({ member: 'ben', from: 3, to: 4 }, 1000 * day)).toEqual({ from: 3, to: 4 });
});

it('claims no more than was recorded', () => {
  const step = (id: number, tokens: number) => ({ id, ts: 0, gist: '', tokens });
  const said = (steps: Parameters<typeof stepsSentence>[1]) => stepsSentence('ben', steps, String);
  expect(said([])).toBe('No model request of ben was recorded.');
  expect(said([step(1, 5)])).toBe('1 recorded model request used 5 tokens.');
  expect(said([step(1, 0), step(2, 0)])).toBe('2 recorded model requests reported no tokens.');
  expect(said(Array.from({ length: maxSteps }, (_, n) => step(n, 1)))).toBe(
    'The newest 10 recorded model requests used 10 tokens.',
  );
});

it('says how many tokens are known, and if there may be more', () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id, ts: 0, gist: '', tokens: 5 }));
  expect(tokensSentence([steps(2), steps(1)], false, String)).toBe('15');
  expect(tokensSentence([steps(2)], true, String)).toBe('At least 10');
  expect(tokensSentence([steps(2), null], false, String)).toBe('At least 10');
  expect(tokensSentence([steps(maxSteps)], false, String)).toBe('At least 50');
  expect(tokensSentence([[], null], true, String)).toBe(null);
});
