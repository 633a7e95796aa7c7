import { expect, it } from 'vitest';
import { readFromRunner, readHookAnswer } from './bridge-protocol.ts';

it.each([
  [{ welcome: true, instructions: 'x', hasInbox: true }],
  [{ refused: 'no' }],
  [{ id: 1, result: { any: 'thing' } }],
  [{ id: 1, result: undefined }],
  [{ id: 1, error: 'gone' }],
  [{ event: 'tools changed' }],
  [{ event: 'inbox changed' }],
  [{ event: 'channel', content: 'x', meta: { from: 'ada' } }],
])('reads %j', (frame) => {
  expect(readFromRunner(frame)).toEqual(frame);
});

it('reads the welcome of a runner without an inbox', () => {
  expect(readFromRunner({ welcome: true, instructions: 'x' })).toEqual({
    welcome: true,
    instructions: 'x',
    hasInbox: false,
  });
});

it.each([
  [{}],
  [{ welcome: true }],
  [{ welcome: true, instructions: 'x', hasInbox: 1 }],
  [{ id: 'a', result: 1 }],
  [{ id: 1, error: 2 }],
  [{ event: 'other' }],
  [{ event: 'channel', content: 'x', meta: { from: 1 } }],
])('refuses %j', (frame) => {
  expect(readFromRunner(frame)).toBeNull();
});

it('reads what a hook is to write', () => {
  const answer = { stdout: 'a', stderr: '', code: 2 };
  expect(readHookAnswer(answer)).toEqual(answer);
  for (const other of [null, 'a', { ...answer, code: 1.5 }, { ...answer, stderr: null }])
    expect(readHookAnswer(other)).toBeNull();
});
