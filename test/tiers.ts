/**
 * The tiers of the tests, and the programs that tests need. The name of a test file and its folder decide, and only here (CONTRIBUTING.md#tests).
 */
import { matchesGlob } from 'node:path';
import type { Program } from './testing/programs.ts';

export const tiers = ['fast', 'slow', 'agents'] as const;
export type Tier = (typeof tiers)[number];

export interface Project {
  tier: Tier;
  include: readonly string[];
  exclude: readonly string[];
  /** Its files run in threads; those of others in processes. */
  isPure?: boolean;
  /** A process runs many files, and what modules hold stays, such as a browser. */
  sharesProcesses?: boolean;
  /** Its files compare times, so they run one at a time, and after those of the other projects. */
  runsAlone?: boolean;
}

const code = '{broker,electron,renderer,runner,bin}';
const anywhere = '{broker,electron,renderer,runner,bin,test}';
/** These names decide, whatever the folder. */
const named = '**/*.{rules,walk,alone,agents}.test.ts';

/** The projects of Vitest. */
export const projects = {
  // These run first, because they take longest.
  walks: { tier: 'fast', include: [`${anywhere}/**/*.walk.test.ts`], exclude: [], sharesProcesses: true },
  near: {
    tier: 'fast',
    include: [`${code}/**/*.test.ts`],
    exclude: [named, '**/*.slow.test.ts'],
    sharesProcesses: true,
  },
  rules: {
    tier: 'fast',
    include: [`${anywhere}/**/*.rules.test.ts`],
    exclude: [],
    isPure: true,
    sharesProcesses: true,
  },
  browsers: {
    tier: 'slow',
    include: ['test/browser/**/*.test.ts'],
    exclude: [named],
    sharesProcesses: true,
  },
  slow: {
    tier: 'slow',
    include: ['test/**/*.test.ts', `${code}/**/*.slow.test.ts`],
    exclude: [named, 'test/browser/**'],
  },
  alone: { tier: 'slow', include: [`${anywhere}/**/*.alone.test.ts`], exclude: [], runsAlone: true },
  agents: { tier: 'agents', include: ['test/agents/**/*.agents.test.ts'], exclude: [] },
} satisfies Record<string, Project>;

export const projectsOf = (tier: Tier): string[] =>
  Object.entries<Project>(projects).flatMap(([name, project]) => (project.tier === tier ? [name] : []));

/** The projects that a test file belongs to; docs/check.ts requires one. `file`: relative to the root. */
export const projectsOfTest = (file: string): Project[] =>
  Object.values<Project>(projects).filter(
    ({ include, exclude }) =>
      include.some((pattern) => matchesGlob(file, pattern)) &&
      !exclude.some((pattern) => matchesGlob(file, pattern)),
  );

/** Names the test files that cannot run on this machine, as a list in JSON, for vitest.config.ts. */
export const leftOutVariable = 'MUSTER_TESTS_LEFT_OUT';

/** Test files that cannot run without a program. */
export const needs: readonly { program: Program; files: readonly string[] }[] = [
  {
    program: 'chromium',

    files: [
      'test/browser/**/*.test.ts',
      'test/desktop/**/*.test.ts',
      'test/proxies/**/*.test.ts',
      'test/agents/desktop-walk.agents.test.ts',
    ],
  },
  { program: 'nginx', files: ['test/proxies/**/*.test.ts'] },
  { program: 'caddy', files: ['test/proxies/**/*.test.ts'] },
  { program: 'postgres', files: ['test/{standby,chaos}/**/*.test.ts', 'test/desktop/standby.test.ts'] },
  { program: 'bash', files: ['test/command/completion-bash.test.ts'] },
  { program: 'zsh', files: ['test/command/completion-zsh.test.ts'] },
  { program: 'fish', files: ['test/command/completion-fish.test.ts'] },
  { program: 'tmux', files: ['test/agents/terminals.agents.test.ts', 'test/command/chat-terminal.test.ts'] },
];
