import { expect, it } from 'vitest';
import { withPaths } from './config-paths.rules.ts';

it('changes only the values that Codex reads as paths', () => {
  const config = {
    model: 'a',
    model_instructions_file: 'b',
    profiles: { work: { model: 'c', model_catalog_json: 'd' } },
    sandbox_workspace_write: { writable_roots: ['e'], network_access: true },
    agents: { max_threads: 3, reviewer: { config_file: 'f', description: 'g' } },
    skills: { config: [{ path: 'h', enabled: false }] },
  };
  expect(withPaths(config, (path) => `/own/${path}`)).toEqual({
    model: 'a',
    model_instructions_file: '/own/b',
    profiles: { work: { model: 'c', model_catalog_json: '/own/d' } },
    sandbox_workspace_write: { writable_roots: ['/own/e'], network_access: true },
    agents: { max_threads: 3, reviewer: { config_file: '/own/f', description: 'g' } },
    skills: { config: [{ path: '/own/h', enabled: false }] },
  });
});
