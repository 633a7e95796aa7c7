import { expect, it } from 'vitest';
import { createForeground } from './foreground.ts';

function open() {
  const told: string[] = [];
  return { told, foreground: createForeground((line) => told.push(line)) };
}

it('tells a line at once, or when the agent that has the terminal has ended', () => {
  const { foreground, told } = open();
  foreground.tell('before');
  foreground.give();
  foreground.tell('meanwhile');
  expect(told).toEqual(['before']);
  foreground.take();
  foreground.tell('after');
  expect(told).toEqual(['before', 'meanwhile', 'after']);
});

it('tells what it kept with the next line after the agent has left the screen', () => {
  const { foreground, told } = open();
  let isTaken = true;
  foreground.give(() => isTaken);
  foreground.tell('meanwhile');
  expect(told).toEqual([]);
  isTaken = false;
  foreground.tell('after');
  expect(told).toEqual(['meanwhile', 'after']);
});

it('keeps the newest lines only', () => {
  const { foreground, told } = open();
  foreground.give();
  for (let n = 0; n < 30; n++) foreground.tell(`line ${n}`);
  foreground.take();
  expect(told).toHaveLength(20);
  expect(told.at(-1)).toBe('line 29');
});
