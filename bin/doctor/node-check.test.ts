import { describe, expect, it } from 'vitest';
import { checkNode } from './node-check.ts';

const remedy = 'run it with Node 26: "npm ci" brings it';

describe('checkNode', () => {
  it.each(['v26.0.0', 'v26.10.0', 'v27.1.0'])('accepts %s', (version) => {
    expect(checkNode(version, 'linux-x64')).toEqual({
      check: 'node',
      status: 'ok',
      detail: `${version} on linux-x64`,
    });
  });

  it('warns of the V8 fault in Node 24', () => {
    expect(checkNode('v24.12.0', 'linux-x64')).toEqual({
      check: 'node',
      status: 'warn',
      detail: 'v24.12.0 on linux-x64 has a fault in V8 that can end the process when threads start or end',
      remedy,
    });
  });

  it('says that Node 25 is untested', () => {
    expect(checkNode('v25.2.1', 'darwin-arm64')).toEqual({
      check: 'node',
      status: 'warn',
      detail: 'v25.2.1 on darwin-arm64 is untested',
      remedy,
    });
  });

  it.each(['v22.19.0', 'v20.0.0', 'v9.9.9', 'unknown'])('refuses %s', (version) => {
    expect(checkNode(version, 'linux-x64')).toMatchObject({
      status: 'fail',
      remedy: 'run it with Node 24 or newer: "npm ci" brings one',
    });
  });
});
