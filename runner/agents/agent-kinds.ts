/** Every kind of agent that `muster run` knows, one row each. Plain data: the desktop app and the console import it, too. */
import { claudeCodeDescriptor } from './claude-code/descriptor.ts';
import { codexDescriptor } from './codex/descriptor.ts';
import { commandDescriptor } from './command/descriptor.ts';
import type { AgentDescriptor } from './descriptor.ts';

/** In the order in which people choose from them. */
export const agentKinds = [
  claudeCodeDescriptor,
  codexDescriptor,
  commandDescriptor,
] as const satisfies readonly AgentDescriptor[];

export type AgentKindRow = (typeof agentKinds)[number];
export type AgentKindId = AgentKindRow['id'];

/** The kinds whose program is in an npm package. */
export type InstallableKind = Exclude<AgentKindRow, { install: null }>;

export const installableKinds: readonly InstallableKind[] = agentKinds.filter(
  (kind): kind is InstallableKind => kind.install !== null,
);

/** Returns the row for the word after `muster run`: any word that is not an id names a command. */
export const agentKindOf = (word: string): AgentKindRow =>
  agentKinds.find(({ id }) => id === word) ?? commandDescriptor;

/** Returns the last part of a path of any system, for people. */
export const lastPartOf = (path: string): string =>
  path.split(/[\\/]/).findLast((part) => part !== '') ?? path;

/** Returns the name of an agent for people: a program that the person chose goes by its file name. */
export const agentName = (id: AgentKindId, program: string | null): string =>
  program === null ? agentKindOf(id).name : lastPartOf(program);
