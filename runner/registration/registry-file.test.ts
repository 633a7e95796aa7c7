import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverRegistry, registerBridge } from './registry-file.ts';

let cwd: string;
let path: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-registry-'));
  path = join(cwd, '.mcp.json');
});
afterEach(() => rmSync(cwd, { recursive: true }));

const bridge = {
  command: 'node',
  args: ['svc', 'mcp-bridge'],
  env: { SVC_RUNNER_SOCKET: '/s', SVC_RUNNER_KEY: 'k' },
};
const register = () => registerBridge({ cwd, member: 'ben', bridge });
const odd = '{ "mcpServers":{"other": {"command":"x"}} ,\r\n\t"more": [1]}\n\n';

describe('the registry file', () => {
  it('gets one entry for the bridge, and keeps all others', () => {
    writeFileSync(path, odd);
    const registration = register();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      mcpServers: { other: { command: 'x' }, svc: bridge },
      more: [1],
    });
    registration.restore();
  });

  it('replaces an entry of the same name', () => {
    writeFileSync(path, '{"mcpServers":{"svc":{"command":"old"}}}');
    const registration = register();
    expect(JSON.parse(readFileSync(path, 'utf8')).mcpServers.svc).toEqual(bridge);
    registration.restore();
  });

  it('is restored byte for byte, with its mode, and nothing is left beside it', () => {
    writeFileSync(path, odd);
    chmodSync(path, 0o640);
    register().restore();
    expect(readFileSync(path, 'utf8')).toBe(odd);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('is deleted afterwards when there was none', () => {
    const registration = register();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    registration.restore();
    registration.restore();
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('stays a symlink when it is one', () => {
    const target = join(cwd, 'real.json');
    writeFileSync(target, odd);
    symlinkSync('real.json', path);
    const registration = register();
    expect(JSON.parse(readFileSync(target, 'utf8')).mcpServers.svc).toEqual(bridge);
    registration.restore();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe(odd);
  });

  it.each(['{', '[]', '5', '{"mcpServers": 5}'])('that is %s is refused and left as it is', (text) => {
    writeFileSync(path, text);
    expect(register).toThrow(/was left as it is/);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('refuses a second run in the same folder by name and process', () => {
    const registration = register();
    expect(register).toThrow(`an agent of ben already runs in this folder (process ${process.pid})`);
    registration.restore();
  });

  it('saves what somebody else wrote during the run, and says so', () => {
    writeFileSync(path, odd);
    const registration = register();
    writeFileSync(path, '{"mine": true}');
    expect(registration.restore()).toContain('was changed during the run');
    expect(readFileSync(path, 'utf8')).toBe(odd);
    expect(readFileSync(`${path}.svc-changed`, 'utf8')).toBe('{"mine": true}');
  });

  /** Registers in a process of its own, and dies at the given point. */
  async function killedRun(point: string): Promise<void> {
    const module = new URL('./registry-file.ts', import.meta.url).href;
    const script = `import { registerBridge } from ${JSON.stringify(module)};
      registerBridge(${JSON.stringify({ cwd, member: 'ben', bridge })});
      ${point}; process.stdout.write('registered'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await gone;
  }

  it.each([odd, null])('is restored by the next start after SIGKILL (%j)', async (before) => {
    if (before !== null) writeFileSync(path, before);
    await killedRun('');
    expect(existsSync(`${path}.svc-run`)).toBe(true);
    expect(recoverRegistry(cwd)).toContain('cut off');
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
    expect(readdirSync(cwd)).toEqual(before === null ? [] : ['.mcp.json']);
    expect(recoverRegistry(cwd)).toBeNull();
  });

  it('is taken over by a new run after SIGKILL, which restores the first bytes', async () => {
    writeFileSync(path, odd);
    await killedRun('');
    register().restore();
    expect(readFileSync(path, 'utf8')).toBe(odd);
  });
});
