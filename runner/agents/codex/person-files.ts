/**
 * The files that shape Codex in the person's own home, brought to the home of a run: linked, so that Codex's own changes
 * reach the person, or copied where links cannot be made (names seen in Codex 0.169.0).
 */
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { stringify } from 'smol-toml';
import type { Table } from './codex-config.ts';

const linkedNames = [
  'AGENTS.md',
  'AGENTS.override.md',
  '.credentials.json',
  '.env',
  'agents',
  'plugins',
  'prompts',
  'rules',
  'themes',
];
/** Codex installs skills of its own into this folder, so its contents are linked one by one. */
const skillsName = 'skills';
/** Codex trusts hooks by the path of their file, and keeps memories beside a database of its own. */
const leftNames = ['hooks.json', 'memories'];
const profileSuffix = '.config.toml';

function bring(from: string, to: string): void {
  const isFolder = statSync(from, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) return;
  try {
    symlinkSync(from, to, !isFolder ? 'file' : process.platform === 'win32' ? 'junction' : 'dir');
  } catch {
    cpSync(from, to, { recursive: true });
  }
}

export interface PersonFiles {
  from: string;
  home: string;
  /** Returns what the run gets for a profile of the person. */
  profileOf(path: string): Table;
}

/** @throws the system's error; AgentError from `profileOf`. */
export function bringPersonFiles({ from, home, profileOf }: PersonFiles): void {
  for (const name of linkedNames) bring(join(from, name), join(home, name));
  const skills = join(from, skillsName);
  if (existsSync(skills)) {
    mkdirSync(join(home, skillsName), { mode: 0o700 });
    for (const name of readdirSync(skills))
      if (name !== '.system') bring(join(skills, name), join(home, skillsName, name));
  }
  if (!existsSync(from)) return;
  for (const name of readdirSync(from).filter((one) => one.endsWith(profileSuffix)))
    writeFileSync(join(home, basename(name)), stringify(profileOf(join(from, name))), { mode: 0o600 });
}

/** Returns a sentence about what a run does without; null if there is none. */
export function leftBehind(from: string): string | null {
  const names = leftNames.filter((name) => existsSync(join(from, name)));
  if (names.length === 0) return null;
  return `the run works without ${names.map((name) => `"${name}"`).join(' and ')} from "${from}", which Codex reads only in your own home`;
}
