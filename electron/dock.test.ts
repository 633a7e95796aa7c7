import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { followInDock } from './dock.ts';

test('is in the dock while a window is open, and leaves it with the last one', () => {
  const said: string[] = [];
  const follow = followInDock({
    async show() {
      said.push('show');
    },
    hide: () => void said.push('hide'),
  });
  const [console, approval] = [new EventEmitter(), new EventEmitter()];
  follow(console);
  follow(approval);
  expect(said).toEqual([]);
  console.emit('show');
  approval.emit('show');
  console.emit('hide');
  expect(said).toEqual(['show']);
  approval.emit('closed');
  expect(said).toEqual(['show', 'hide']);
  console.emit('closed');
  console.emit('show');
  expect(said).toEqual(['show', 'hide', 'show']);
});

test('does nothing on systems without a dock', () => {
  const window = new EventEmitter();
  followInDock(undefined)(window);
  expect(() => window.emit('show')).not.toThrow();
});
