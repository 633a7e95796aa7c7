import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { createHeights } from './heights.ts';

const message = (id: string, part: object = {}) =>
  ({
    id,
    ts: 0,
    level: 'info',
    from: 'ben',
    title: null,
    body: 'x',
    data: {},
    attachments: [],
    ...part,
  }) as unknown as Message;

describe('the height of a message', () => {
  it('is guessed from one like it', () => {
    const heights = createHeights();
    const messages = [
      message('m1'),
      message('m2'),
      message('m3', { body: 'y' }),
      message('m4', { body: 'x\n\n- y' }),
      message('m5', { from: 'cy' }),
    ];
    heights.learn(messages, 1, 28);
    expect(messages.map((_, index) => heights.guess(messages, index))).toEqual([56, 28, 28, 56, 56]);
    heights.learn(messages, 0, 52);
    const next = [...messages, message('m6')];
    expect(heights.guess(next, 5)).toBe(52);
  });

  it('is not guessed anew', () => {
    const heights = createHeights();
    const messages = [message('m1'), message('m2')];
    expect(heights.guess(messages, 1)).toBe(56);
    heights.learn(messages, 1, 28);
    const again = [message('m1'), message('m2')];
    expect(heights.guess(again, 1)).toBe(56);
  });

  it('is forgotten after a thousand other shapes', () => {
    const heights = createHeights();
    /** Twelve lines, each short or long. */
    const shaped = (id: string, n: number) => {
      const lines = Array.from({ length: 12 }, (_, bit) => 'x'.repeat((n >> bit) % 2 === 0 ? 1 : 41));
      return [message('m1'), message(id, { body: lines.join('\n') })];
    };
    heights.learn(shaped('m2', 0), 1, 300);
    expect(heights.guess(shaped('m3', 0), 1)).toBe(300);
    for (let n = 1; n <= 1000; n++) heights.learn(shaped('m4', n), 1, 400);
    expect(heights.guess(shaped('m5', 0), 1)).toBe(56);
  });

  it('is forgotten some time after the message is gone', () => {
    const heights = createHeights();
    const before = [message('m1'), message('m2')];
    heights.guess(before, 1);
    heights.learn(before, 1, 28);
    for (let n = 0; n < 3000; n++) heights.guess([message(`n${n}`)], 0);
    expect(heights.guess(before, 1)).toBe(28);
  });
});
