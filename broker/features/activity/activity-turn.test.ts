/** One turn of a transcript is bounded, whatever its exchange has (specification/activity.md#transcript). */
import { describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { turnOf } from './activity-turn.ts';

const { side, text, blocks } = limits.activity.transcript;

function turn(content: readonly object[]) {
  const entry = { model: 'm', response: { messages: [{ role: 'assistant', content }] } };
  const row = { id: 1, ts: 1000, failed: 0, event: JSON.stringify({ duration: 1, entry }), last: '{}' };
  return turnOf(row as unknown as Parameters<typeof turnOf>[0]);
}
const call = (input: object) => ({ type: 'tool_use', id: 't', name: 'Write', input });

describe('a turn', () => {
  it('has all of a small exchange', () => {
    const content = [{ type: 'text', text: 'done' }, call({ path: 'a.txt', lines: [1, 2], isNew: true })];
    expect(turn(content)).toMatchObject({ said: content, isCut: false });
  });

  it('has the beginning of a long text', () => {
    const { said, isCut } = turn([{ type: 'text', text: 'x'.repeat(text + 1) }]);
    expect(said).toEqual([{ type: 'text', text: 'x'.repeat(text) }]);
    expect(isCut).toBe(true);
  });

  it.each([
    ['short texts', call({ all: Array.from({ length: 6000 }, () => 'a'.repeat(2000)) })],
    ['numbers', call({ all: Array.from({ length: 1_000_000 }, () => 1) })],
    [
      'keys',
      call(Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`${'k'.repeat(1000)}${n}`, 1]))),
    ],
    ['empty lists', call({ all: Array.from({ length: 1_000_000 }, () => []) })],
  ])('leaves out what is more than a side may have: %s', (_, block) => {
    const { said, isCut } = turn([block, { type: 'text', text: 'after it' }]);
    expect(JSON.stringify(said).length).toBeLessThan(side * 1.1);
    expect(said[0]).toMatchObject({ type: 'tool_use', name: 'Write' });
    expect(isCut).toBe(true);
  });

  it('has a number of blocks at most', () => {
    const { said, isCut } = turn(Array.from({ length: blocks + 1 }, () => ({ type: 'text', text: 'x' })));
    expect(said).toHaveLength(blocks);
    expect(isCut).toBe(true);
  });
});
