import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverRegistry, registerBridge } from './registry-file.ts';

let cwd: string;
let path: string;
let keptDir: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-registry-'));
  path = join(cwd, '.mcp.json');
  keptDir = join(mkdtempSync(join(tmpdir(), 'muster-registry-kept-')), 'runs');
});
afterEach(() => {
  rmSync(cwd, { recursive: true });
  rmSync(dirname(keptDir), { recursive: true });
});

/** A file that the run keeps outside of the folder, by its suffix. */
const kept = (suffix: string): string =>
  join(keptDir, readdirSync(keptDir).find((name) => name.endsWith(suffix)) ?? 'none');

const bridge = {
  command: 'node',
  args: ['svc', 'mcp-bridge'],
  env: { SVC_RUNNER_SOCKET: '/s', SVC_RUNNER_KEY: 'k' },
};
const register = () => registerBridge({ cwd, member: 'ben', bridge, keptDir });
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

  it('is deleted afterwards if there was none', () => {
    const registration = register();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    registration.restore();
    registration.restore();
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('stays a symlink if it is one', () => {
    const target = join(cwd, 'real.json');
    writeFileSync(target, odd);
    symlinkSync('real.json', path);
    const registration = register();
    expect(JSON.parse(readFileSync(target, 'utf8')).mcpServers.svc).toEqual(bridge);
    registration.restore();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe(odd);
  });

  it.each(['{', '[]', '5', '{"mcpServers": 5}'])('is refused and left as it is if it contains %s', (text) => {
    writeFileSync(path, text);
    expect(register).toThrow(/was not changed/);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('refuses a second run in the same folder by name and process', () => {
    const registration = register();
    expect(register).toThrow(`an agent of ben is already running in this folder (process ${process.pid})`);
    registration.restore();
  });

  it('is left as another program wrote it during the run, and the former version is kept elsewhere', () => {
    writeFileSync(path, odd);
    const registration = register();
    writeFileSync(path, '{"mine": true}');
    const said = registration.restore();
    expect(said).toContain('was changed during the run and was left as it is');
    expect(said).toContain(kept('.former'));
    expect(readFileSync(path, 'utf8')).toBe('{"mine": true}');
    expect(readFileSync(kept('.former'), 'utf8')).toBe(odd);
    expect(statSync(kept('.former')).mode & 0o777).toBe(0o600);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('names the entry that is left if another program added something to the file', () => {
    const registration = register();
    const changed = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...changed, more: 1 }));
    expect(registration.restore()).toContain('Remove the entry "svc" from it.');
    expect(JSON.parse(readFileSync(path, 'utf8')).more).toBe(1);
  });

  it('is restored if the agent has deleted the file and what the run keeps', () => {
    writeFileSync(path, odd);
    const registration = register();
    rmSync(kept('.backup'));
    rmSync(kept('.run'));
    rmSync(path);
    expect(registration.restore()).toBeNull();
    expect(readFileSync(path, 'utf8')).toBe(odd);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('reports that nothing can be restored if its folder is gone', () => {
    writeFileSync(path, odd);
    const registration = register();
    rmSync(cwd, { recursive: true });
    try {
      expect(registration.restore()).toContain('no longer exists');
    } finally {
      mkdirSync(cwd);
    }
  });

  it('is left as it is, without a report, if another program already restored it', () => {
    writeFileSync(path, odd);
    const registration = register();
    writeFileSync(path, odd);
    expect(registration.restore()).toBeNull();
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  describe('a folder from an untrusted source', () => {
    let home: string;
    let victim: string;
    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'muster-registry-home-'));
      victim = join(home, '.bashrc');
      writeFileSync(victim, 'mine');
    });
    afterEach(() => rmSync(home, { recursive: true }));

    it('cannot redirect a write to a file elsewhere through links beside the registry file', () => {
      writeFileSync(path, odd);
      symlinkSync(victim, `${path}.svc-backup`);
      symlinkSync(victim, `${path}.svc-${process.pid}`);
      register().restore();
      expect(readFileSync(victim, 'utf8')).toBe('mine');
      expect(readFileSync(path, 'utf8')).toBe(odd);
    });

    it.each(['.svc-run', '.svc-backup'])(
      'cannot have a file elsewhere copied into it through a link (%s)',
      (ending) => {
        writeFileSync(path, odd);
        const marker = { schema: 1, pid: 999_999_999, startedAt: null, member: 'ben', state: 'registered' };
        const writtenHash = createHash('sha256').update(odd).digest('hex');
        if (ending !== '.svc-run')
          writeFileSync(`${path}.svc-run`, JSON.stringify({ ...marker, mode: 0o644, writtenHash }));
        symlinkSync(victim, `${path}${ending}`);
        expect(() => recoverRegistry(cwd, keptDir)).toThrow('is not a regular file');
        expect(readFileSync(path, 'utf8')).toBe(odd);
      },
    );

    it.each([0o644, null])(
      'does not restore the file through a link to a file that no run has written (mode %s)',
      (mode) => {
        symlinkSync(victim, path);
        const writtenHash = createHash('sha256').update('mine').digest('hex');
        const marker = { schema: 1, pid: 999_999_999, startedAt: null, member: 'ben', state: 'registered' };
        writeFileSync(`${path}.svc-run`, JSON.stringify({ ...marker, mode, writtenHash }));
        writeFileSync(`${path}.svc-backup`, 'theirs');
        expect(() => recoverRegistry(cwd, keptDir)).toThrow(`is a link to "${victim}"`);
        expect(register).toThrow(`is a link to "${victim}"`);
        expect(readFileSync(victim, 'utf8')).toBe('mine');
      },
    );

    it.each(['missing', '.bashrc'])('does not register if the marker is a link (to %s)', (name) => {
      symlinkSync(join(home, name), `${path}.svc-run`);
      expect(register).toThrow('is not a regular file');
      expect(readdirSync(home)).toEqual(['.bashrc']);
    });

    it('restores the file through a link after SIGKILL', async () => {
      writeFileSync(victim, odd);
      symlinkSync(victim, path);
      await killedRun('');
      expect(recoverRegistry(cwd, keptDir)).toContain('was interrupted');
      expect(readFileSync(victim, 'utf8')).toBe(odd);
      expect(lstatSync(path).isSymbolicLink()).toBe(true);
    });

    it('restores the file through a link if its folder is gone', () => {
      writeFileSync(victim, odd);
      symlinkSync(victim, path);
      const registration = register();
      rmSync(cwd, { recursive: true });
      try {
        expect(registration.restore()).toBeNull();
        expect(readFileSync(victim, 'utf8')).toBe(odd);
        expect(readdirSync(home)).toEqual(['.bashrc']);
      } finally {
        mkdirSync(cwd);
      }
    });

    it('refuses a file that is a dangling link, and leaves it as it is', () => {
      symlinkSync(join(home, 'missing'), path);
      expect(register).toThrow('is a link to a file that does not exist');
      expect(lstatSync(path).isSymbolicLink()).toBe(true);
      expect(readdirSync(cwd)).toEqual(['.mcp.json']);
    });
  });

  it('is registered after a start that was interrupted while it wrote its first marker', () => {
    writeFileSync(path, odd);
    writeFileSync(`${path}.svc-run`, '{"schema"');
    const ahead = Date.now() / 1000 + 3600;
    utimesSync(`${path}.svc-run`, ahead, ahead);
    expect(register).toThrow('another run is starting');
    const past = Date.now() / 1000 - 60;
    utimesSync(`${path}.svc-run`, past, past);
    register().restore();
    expect(readFileSync(path, 'utf8')).toBe(odd);
  });

  /** Registers in a process of its own, and dies at the given point. */
  async function killedRun(point: string): Promise<void> {
    const module = new URL('./registry-file.ts', import.meta.url).href;
    const script = `import { registerBridge } from ${JSON.stringify(module)};
      registerBridge(${JSON.stringify({ cwd, member: 'ben', bridge, keptDir })});
      ${point}; process.stdout.write('registered'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await gone;
  }

  it('is restored with permissions only, whatever else the mode of the marker has', async () => {
    writeFileSync(path, odd);
    chmodSync(path, 0o640);
    await killedRun('');
    const marker = JSON.parse(readFileSync(kept('.run'), 'utf8'));
    writeFileSync(kept('.run'), JSON.stringify({ ...marker, mode: 0o106755 }));
    recoverRegistry(cwd, keptDir);
    expect(readFileSync(path, 'utf8')).toBe(odd);
    expect(statSync(path).mode & 0o7777).toBe(0o755);
  });

  it.each([odd, null])('is restored by the next start after SIGKILL (%j)', async (before) => {
    if (before !== null) writeFileSync(path, before);
    await killedRun('');
    expect(existsSync(kept('.run'))).toBe(true);
    expect(recoverRegistry(cwd, keptDir)).toContain('was interrupted');
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
    expect(readdirSync(cwd)).toEqual(before === null ? [] : ['.mcp.json']);
    expect(recoverRegistry(cwd, keptDir)).toBeNull();
    expect(readdirSync(keptDir)).toEqual([]);
  });

  it('is taken over by one of several that start at once after SIGKILL', async () => {
    const module = new URL('./registry-file.ts', import.meta.url).href;
    const script = `import { registerBridge } from ${JSON.stringify(module)};
      process.stdin.once('data', () => {
        try { registerBridge(${JSON.stringify({ cwd, member: 'ben', bridge, keptDir })}); console.log('registered'); }
        catch (error) { console.log(error.message); }
      });
      console.log('ready');`;
    writeFileSync(path, odd);
    await killedRun('');
    const children = [1, 2, 3].map(() =>
      spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    const said = () =>
      Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])));
    await said();
    const answers = said();
    for (const { stdin } of children) stdin.write('go');
    expect((await answers).filter((text) => text === 'registered\n')).toHaveLength(1);
    await Promise.all(
      children.map(async (child) => {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      }),
    );
    recoverRegistry(cwd, keptDir);
    expect(readFileSync(path, 'utf8')).toBe(odd);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('is left alone while another start recovers it, and recovered if that one was killed, too', async () => {
    writeFileSync(path, odd);
    await killedRun('');
    const claim = kept('.run').replace(/run$/, 'recover');
    writeFileSync(claim, JSON.stringify({ pid: process.pid, startedAt: null }));
    expect(register).toThrow('another run is starting');
    rmSync(claim);
    symlinkSync(join(cwd, 'nothing'), claim);
    expect(register).toThrow(`"${claim}" cannot be used`);
    rmSync(claim);
    writeFileSync(claim, JSON.stringify({ pid: 0, startedAt: null }));
    register().restore();
    expect(readFileSync(path, 'utf8')).toBe(odd);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('is restored by the next start after a run of an earlier version, which kept everything beside it', () => {
    writeFileSync(path, 'written by that run');
    const writtenHash = createHash('sha256').update('written by that run').digest('hex');
    const marker = { schema: 1, pid: 999_999_999, startedAt: null, member: 'ben', state: 'registered' };
    writeFileSync(`${path}.svc-run`, JSON.stringify({ ...marker, mode: 0o644, writtenHash }));
    writeFileSync(`${path}.svc-backup`, odd);
    register().restore();
    expect(readFileSync(path, 'utf8')).toBe(odd);
    expect(readdirSync(cwd)).toEqual(['.mcp.json']);
  });

  it('is taken over by a new run after SIGKILL, which restores the first bytes', async () => {
    writeFileSync(path, odd);
    await killedRun('');
    register().restore();
    expect(readFileSync(path, 'utf8')).toBe(odd);
  });
});
