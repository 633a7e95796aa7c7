import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { startTraceReceiver } from '../../broker/tracing/testing/trace-receiver.ts';
import { calledMuster } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

describe.concurrent('serve', () => {
  it.for(['SIGINT', 'SIGTERM'] as const)(
    'prints one line once it accepts requests, and exits with 0 on %s',
    async (signal, { home }) => {
      await writeTeam(home.path('svc.json'));
      const broker = await home.serve();
      expect((await fetch(`${broker.url}/healthz`)).status).toBe(200);
      expect(broker.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      broker.child.kill(signal);
      const { code, stdout } = await broker.ended;
      expect([code, lines(stdout)]).toEqual([0, [`listening on ${broker.url}`]]);
    },
  );

  it('reports once how many plaintext secrets it migrated, and warns that memory is not persistent', async ({
    home,
  }) => {
    await writeTeam(home.path('svc.json'));
    const first = await home.serve();
    await first.shows('migrated 3 plaintext secrets\n', 'stderr');
    await first.shows('memory', 'stderr');
    first.child.kill('SIGTERM');
    await first.ended;
    const second = await home.serve(['--db', 'main.db', '--activity-db', 'activity.db']);
    second.child.kill('SIGTERM');
    expect((await second.ended).stderr).toBe('');
  });

  it.skipIf(process.platform !== 'linux')(
    'goes on while its log is on a full disk',
    async ({ home, onTestFinished }) => {
      await writeTeam(home.path('svc.json'));
      const full = openSync('/dev/full', 'w');
      const args = [`${import.meta.dirname}/../muster`, 'serve', '--port', '0', '--log-level', 'trace'];
      const child = spawn(process.execPath, args, {
        cwd: home.folder,
        env: home.env,
        stdio: ['ignore', 'pipe', full],
      });
      closeSync(full);
      const ended = once(child, 'exit');
      onTestFinished(() => void child.kill('SIGKILL'));
      const [line] = (await once(createInterface(child.stdout as Readable), 'line')) as [string];
      for (const path of ['healthz', 'roster', 'healthz'])
        expect((await fetch(`${line.replace('listening on ', '')}/${path}`)).status).toBeLessThan(402);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    },
  );

  it('sends bye to streams and drains before it exits', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    const broker = await home.serve();
    const headers = { authorization: `Bearer ${tokens.ada}` };
    const stream = await fetch(`${broker.url}/subscribe?name=ada`, { headers });
    broker.child.kill('SIGTERM');
    expect(await stream.text()).toMatch(/event: ready[\s\S]*event: bye/);
    expect((await broker.ended).code).toBe(0);
  });

  it('saves the token of a setup on this machine, and leaves a saved one as it is', async ({ home }) => {
    const setUpAt = async (broker: { url: string; stdout: () => string }) => {
      const key = /#key=([\w-]{43})/.exec(broker.stdout())?.[1] ?? '';
      const reply = await fetch(`${broker.url}/setup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-svc-setup-key': key },
        body: JSON.stringify({ team: { name: 'Lab' }, admin: { name: 'ada', role: { title: 'Lead' } } }),
      });
      return (await reply.json()) as { token: string; savedFor?: string };
    };
    const broker = await home.serve();
    await broker.shows('/setup#key=');
    expect(await setUpAt(broker)).toMatchObject({ savedFor: broker.url });
    await broker.shows(`Saved the token for ${broker.url}`, 'stderr');
    const { code, stdout } = await home.run(['roster']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('ada') });
    const saved = await readFile(home.path('config/svc/auth.json'), 'utf8');
    broker.child.kill('SIGTERM');
    await broker.ended;

    const other = await home.serve(['--config-path', 'other.json', '--port', new URL(broker.url).port]);
    await other.shows('/setup#key=');
    expect(await setUpAt(other)).not.toHaveProperty('savedFor');
    await other.shows('which was not replaced', 'stderr');
    expect(await readFile(home.path('config/svc/auth.json'), 'utf8')).toBe(saved);
  });

  it('prints the setup address and the setup command if there is no configuration', async ({ home }) => {
    const broker = await home.serve();
    await broker.shows('/setup#key=');
    expect(lines(broker.stdout())[1]).toMatch(new RegExp(`^set up at ${broker.url}/setup#key=[\\w-]{43}$`));
    await broker.shows(`or run: ${calledMuster} setup`, 'stderr');
  });

  it('prints one JSON object per line with --json', async ({ home }) => {
    const one = home.start(['serve', '--port', '0', '--json', '--log-level', 'silent']);
    await one.shows('"setup"');
    const [listening, setup] = lines(one.stdout()).map((line) => JSON.parse(line));
    expect(Object.keys(listening)).toEqual(['listening']);
    expect(setup.setup).toMatch(`${listening.listening}/setup#key=`);
  });

  it('refuses memory beside stores on disk, and runs in memory with --memory', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    await mkdir(home.path('data'), { recursive: true });
    const stores = ['--db', 'data/main.db', '--activity-db', 'data/activity.db'];
    const first = await home.serve(stores);
    first.child.kill('SIGTERM');
    await first.ended;
    const refused = await home.run(['serve', '--port', '0', '--log-level', 'silent']);
    expect(refused).toMatchObject({ code: 78, stdout: '' });
    expect(lines(refused.stderr)).toHaveLength(1);
    expect(refused.stderr).toContain(`--db ${home.path('data/main.db')}`);
    expect(refused.stderr).toContain('--memory');
    const both = await home.run(['serve', '--memory', ...stores]);
    expect(both).toMatchObject({ code: 64, stdout: '' });
    const inMemory = await home.serve(['--memory']);
    await inMemory.shows('is kept in memory only', 'stderr');
    await home.serve([], { SVC_DB_PATH: ':memory:' });
    await home.serve(stores);
  });

  it('reads port and paths from the environment', async ({ home }) => {
    await writeTeam(home.path('team.json'));
    const env = {
      SVC_PORT: '0',
      SVC_HOST: '127.0.0.1',
      SVC_CONFIG_PATH: home.path('team.json'),
      SVC_DB_PATH: home.path('m.db'),
      SVC_ACTIVITY_DB_PATH: home.path('a.db'),
    };
    const one = home.start(['serve', '--log-level', 'warn'], env);
    await one.shows('listening on');
    expect((await readFile(home.path('m.db'))).length).toBeGreaterThan(0);
    expect((await readFile(home.path('a.db'))).length).toBeGreaterThan(0);
  });

  it('exits with 1 and one line if the port is in use', async ({ home }) => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const address = other.address();
    const port = address !== null && typeof address !== 'string' ? address.port : 0;
    const { code, stdout, stderr } = await home.run([
      'serve',
      '--port',
      String(port),
      '--log-level',
      'silent',
    ]);
    other.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(lines(stderr)).toHaveLength(1);
    expect(stderr).toContain(`127.0.0.1:${port}`);
  });

  it('requires --insecure-http for addresses other than loopback', async ({ home }) => {
    const { code, stderr } = await home.run([
      'serve',
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--log-level',
      'silent',
    ]);
    expect(code).toBe(78);
    expect(stderr).toContain('--insecure-http');
  });

  it('exits although the collector of traces never answers', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    const collector = await startTraceReceiver();
    collector.answer = 'never';
    const broker = await home.serve([], {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
    });
    await fetch(`${broker.url}/healthz`);
    broker.child.kill('SIGTERM');
    expect((await broker.ended).code).toBe(0);
    expect(collector.requests).toHaveLength(1);
    await collector.close();
  });

  it('exits with 78 and one line if traces are configured for another protocol', async ({ home }) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    const { code, stderr } = await home.run(['serve', '--port', '0', '--log-level', 'silent'], { env });
    expect(code).toBe(78);
    expect(lines(stderr)).toHaveLength(1);
    expect(stderr).toContain(
      'OTEL_EXPORTER_OTLP_PROTOCOL must be "http/protobuf" or "http/json", not "grpc"',
    );
  });

  it('exits with 78 and one line with the file’s name if the configuration is invalid, and leaves it as it is', async ({
    home,
  }) => {
    await writeFile(home.path('svc.json'), '{ "team": ');
    const { code, stdout, stderr } = await home.run(['serve', '--log-level', 'silent']);
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(lines(stderr)).toHaveLength(1);
    expect(stderr).toContain('svc.json');
    expect(await readFile(home.path('svc.json'), 'utf8')).toBe('{ "team": ');
  });
});
