import { describe, expect, it } from 'vitest';
import { checkNode } from './node-check.ts';

const remedy = 'use Node 26, which "npm ci" installs';

describe('checkNode', () => {
  it.each(['v26.0.0', 'v26.10.0', 'v27.1.0'])('accepts %s', (version) => {
    expect(checkNode(version, 'linux-x64')).toEqual({
      check: 'node',
      status: 'ok',
      detail: `${version} on linux-x64`,
    });
  });

  it('warns of the bug in V8 of Node 24', () => {
    expect(checkNode('v24.12.0', 'linux-x64')).toEqual({
      check: 'node',
      status: 'warn',
      detail: 'v24.12.0 on linux-x64 has a bug in V8 that can crash the process when threads start or end',
      remedy,
    });
  });

  it('says that Node 25 is not tested', () => {
    expect(checkNode('v25.2.1', 'darwin-arm64')).toEqual({
      check: 'node',
      status: 'warn',
      detail: 'v25.2.1 on darwin-arm64 is not tested',
      remedy,
    });
  });

  it.each(['v22.19.0', 'v20.0.0', 'v9.9.9', 'unknown'])('refuses %s', (version) => {
    expect(checkNode(version, 'linux-x64')).toMatchObject({
      status: 'fail',
      remedy: 'use Node 24 or newer; "npm ci" installs one',
    });
  });
});
