import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../runtime/log.ts';
import { createTelemetry } from './telemetry.service.ts';
import {
  enabledState,
  readTelemetry,
  rotatedState,
  TelemetryState,
  writeTelemetry,
} from './telemetry-state.ts';

let folder: string;
let path: string;
let url: string;
let stop: () => void;
const received: unknown[] = [];
const logged: string[] = [];
const log = createLog({ destination: { write: (line: string) => void logged.push(line) } });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-'));
  path = join(folder, 'telemetry.json');
  received.length = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(JSON.parse(body));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stop = () => server.close();
});
afterEach(async () => {
  stop();
  await rm(folder, { recursive: true });
});

const telemetry = (to: string | undefined = url) =>
  createTelemetry({ path, url: to, version: '1.2.3', platform: 'linux', log });

describe('telemetry', () => {
  it('is off by default and sends nothing', async () => {
    await telemetry().report('boot');
    expect(received).toEqual([]);
    await expect(stat(path)).rejects.toThrow();
  });

  it('reports whether it is enabled and where it sends, without secrets in the address', async () => {
    expect(await telemetry('').status()).toEqual({ isEnabled: false, endpoint: null });
    expect(await telemetry('nonsense').status()).toEqual({ isEnabled: false, endpoint: null });
    await writeTelemetry(path, enabledState(null, Date.now()));
    const to = 'https://me:word@collect.example/in?key=secret#x';
    expect(await telemetry(to).status()).toEqual({
      isEnabled: true,
      endpoint: 'https://collect.example/in',
    });
    await writeFile(path, 'rubbish');
    expect((await telemetry().status()).isEnabled).toBe(false);
  });

  it('sends nothing without SVC_TELEMETRY_URL, and keeps the event for when there is one', async () => {
    await writeTelemetry(path, enabledState(null, Date.now()));
    await createTelemetry({ path, url: undefined, version: '1', platform: 'linux', log }).report('boot');
    expect((await readTelemetry(path))?.bootEventSent).toBe(false);
  });

  it('sends at most one boot and one directive-complete event per enabled session', async () => {
    const state = enabledState(null, Date.now());
    await writeTelemetry(path, state);
    const { report } = telemetry();
    await Promise.all([report('boot'), report('boot'), report('directive-complete')]);
    await telemetry().report('directive-complete');
    const about = { installId: state.installId, version: '1.2.3', platform: 'linux' };
    expect(received).toEqual([
      { event: 'boot', ...about },
      { event: 'directive-complete', ...about },
    ]);
  });

  it('has a 0600 file with a 22-character install id and an ISO 8601 time', async () => {
    await writeTelemetry(path, enabledState(null, 0));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const state = TelemetryState.parse(JSON.parse(await readFile(path, 'utf8')));
    expect(state).toMatchObject({ enabled: true, enabledAt: '1970-01-01T00:00:00.000Z' });
    expect(Buffer.from(state.installId, 'base64url')).toHaveLength(16);
  });

  it('resets both flags with a new id when it is rotated', () => {
    const sent = { ...enabledState(null, 0), bootEventSent: true, missionEventSent: true };
    const rotated = rotatedState(sent);
    expect(rotated).toMatchObject({ enabled: true, bootEventSent: false, missionEventSent: false });
    expect(rotated.installId).not.toBe(sent.installId);
  });

  it('never fails the broker: a damaged file or a dead address is a line in the log', async () => {
    await writeFile(path, '{');
    await telemetry().report('boot');
    expect(logged.join('')).toContain('damaged');
    expect(await readFile(path, 'utf8')).toBe('{');
    await writeTelemetry(path, enabledState(null, Date.now()));
    await telemetry('http://127.0.0.1:1').report('boot');
    expect(logged.at(-1)).toContain('telemetry was not sent');
  });
});
