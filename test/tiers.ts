/**
 * Which tests run when, and what they need. The name of a test file and its folder decide, and only here (CONTRIBUTING.md#tests).
 */
import type { Program } from './testing/programs.ts';

export const tiers = ['fast', 'slow', 'agents'] as const;
export type Tier = (typeof tiers)[number];

export interface Project {
  tier: Tier;
  include: readonly string[];
  exclude: readonly string[];
  /** Its files run in threads; those of others in processes. */
  isPure?: boolean;
}

const code = '{broker,electron,renderer,runner,bin}';
const anywhere = '{broker,electron,renderer,runner,bin,test}';
const named = '**/*.{rules,walk,slow,agents}.test.ts';

/** The projects of Vitest. */
export const projects = {
  // These run first, because they take longest.
  walks: { tier: 'fast', include: [`${anywhere}/**/*.walk.test.ts`], exclude: [] },
  near: { tier: 'fast', include: [`${code}/**/*.test.ts`], exclude: [named] },
  rules: { tier: 'fast', include: [`${anywhere}/**/*.rules.test.ts`], exclude: [], isPure: true },
  slow: {
    tier: 'slow',
    include: ['test/**/*.test.ts', `${code}/**/*.slow.test.ts`],
    exclude: ['**/*.{rules,walk,agents}.test.ts'],
  },
  agents: { tier: 'agents', include: ['test/agents/**/*.agents.test.ts'], exclude: [] },
} satisfies Record<string, Project>;

export const projectsOf = (tier: Tier): string[] =>
  Object.entries<Project>(projects).flatMap(([name, project]) => (project.tier === tier ? [name] : []));

/** Test files that cannot run without a program. */
export const needs: readonly { program: Program; tiers: readonly Tier[]; files: readonly string[] }[] = [
  {
    program: 'chromium',
    tiers: ['fast', 'slow', 'agents'],
    files: [
      'test/browser/**',
      'test/desktop/**',
      'test/proxies/**',
      'test/agents/desktop-walk.agents.test.ts',
    ],
  },
  { program: 'nginx', tiers: ['slow'], files: ['test/proxies/**'] },
  { program: 'caddy', tiers: ['slow'], files: ['test/proxies/**'] },
  { program: 'tmux', tiers: ['agents'], files: ['test/agents/terminals.agents.test.ts'] },
];
