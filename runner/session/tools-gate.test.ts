import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createToolsGate } from './tools-gate.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openGate(canWake = true) {
  const log: unknown[] = [];
  const gate = createToolsGate({
    canWake,
    setReady: (isReady) => log.push(isReady),
    onMissing: (when) => log.push(`not asked for ${when}`),
    onFound: () => log.push('found'),
  });
  return { gate, log };
}

it.each([
  ['before it has started', ['listed', 'begin']],
  ['after it has started', ['begin', 'listed']],
] as const)('lets messages pass once an agent has listed the tools %s', (_, steps) => {
  const { gate, log } = openGate();
  for (const step of steps) gate[step]();
  expect(log).toEqual([true]);
  vi.advanceTimersByTime(60_000);
  expect(log).toEqual([true]);
});

it('gives an agent that never lists the tools its messages after 30 s', () => {
  const { gate, log } = openGate();
  gate.begin();
  vi.advanceTimersByTime(29_999);
  expect(log).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(log).toEqual(['not asked for in time', true]);
  gate.listed();
  gate.called();
  gate.end();
  expect(log).toEqual(['not asked for in time', true, 'found', false]);
});

it('does not wait for the tools of an agent that cannot be woken', () => {
  const { gate, log } = openGate(false);
  gate.begin();
  expect(log).toEqual([true]);
  vi.advanceTimersByTime(30_000);
  gate.called();
  gate.listed();
  expect(log).toEqual([true, 'not asked for in time', 'found']);
});

it('says at the end that an agent never asked for the tools, unless it never ran', () => {
  const { gate, log } = openGate(false);
  gate.begin();
  gate.end();
  expect(log).toEqual([true, false, 'not asked for at all']);
  const never = openGate();
  never.gate.end();
  expect(never.log).toEqual([false]);
});

it('says nothing of an agent that called a tool without listing them, and opens for it after 30 s as for others', () => {
  const { gate, log } = openGate();
  gate.begin();
  gate.called();
  expect(log).toEqual([]);
  vi.advanceTimersByTime(30_000);
  expect(log).toEqual([true]);
  gate.end();
  expect(log).toEqual([true, false]);
});

it('does not open again after it has ended', () => {
  const { gate, log } = openGate();
  gate.begin();
  gate.end();
  gate.listed();
  vi.advanceTimersByTime(60_000);
  expect(log).toEqual([false, 'not asked for at all']);
});
