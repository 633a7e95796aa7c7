import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { continuedSession } from './claude-session.ts';

const id = '9f1b05b8-5e05-4788-8442-b1acddb75fea';
let folder: string;
let logged: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-claude-'));
  mkdirSync(join(folder, 'projects/-work'), { recursive: true });
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const keep = (text: string) => writeFileSync(join(folder, 'projects/-work', `${id}.jsonl`), text);
const find = (change: { args?: string[]; mode?: 'owned' | 'terminal'; previous?: string | null } = {}) =>
  continuedSession(
    {
      args: change.args ?? [],
      mode: change.mode ?? 'owned',
      conversation: {
        previous: change.previous === undefined ? id : change.previous,
        folder,
        keep: () => undefined,
      },
      log: (event) => logged.push(event),
    },
    folder,
  );

describe('the conversation that Claude Code continues', () => {
  it('is the kept one', async () => {
    keep('{"type":"user"}\n{"type":"assistant"}\n');
    expect(await find()).toBe(id);
    expect(logged).toEqual([]);
  });

  it.each([
    ['in a terminal', { mode: 'terminal' as const }],
    ['without a kept one', { previous: null }],
    ['with --resume', { args: ['--resume', id] }],
    ['with --continue', { args: ['-c'] }],
    ['with --session-id=', { args: [`--session-id=${id}`] }],
  ])('is none %s', async (_, change) => {
    keep('{"type":"user"}\n');
    expect(await find(change)).toBeNull();
    expect(logged).toEqual([]);
  });

  it.each([
    ['is gone', () => undefined],
    ['is empty', () => keep('')],
    ['is damaged', () => keep('garbage\n')],
  ])('is none if its file %s, and the log says so', async (_, spoil) => {
    spoil();
    expect(await find()).toBeNull();
    expect(logged).toHaveLength(1);
  });

  it('is none if its id is not one of Claude Code', async () => {
    expect(await find({ previous: '../../secret' })).toBeNull();
  });
});
