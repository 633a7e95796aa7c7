import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createBroker } from '../../create-broker.ts';
import { createLog } from '../../runtime/log.ts';
import { startTestBroker } from '../../testing/test-broker.ts';
import { enabledState, writeTelemetry } from './telemetry-state.ts';

it('reports the first objective that is done after telemetry was enabled as directive-complete, once', async () => {
  const received: { event: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(JSON.parse(body));
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const team = await startTestBroker();
  onTestFinished(() => team.stop());
  const telemetryPath = join(team.folder, 'telemetry.json');
  await writeTelemetry(telemetryPath, enabledState(null, Date.now()));
  await team.broker.close();
  const broker = await createBroker({
    configPath: team.configPath,
    env: { SVC_TELEMETRY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    telemetryPath,
    log: createLog({ level: 'silent' }),
  });
  onTestFinished(() => broker.close());
  const post = async (by: string, url: string, payload: object) => {
    const headers = { host: 'localhost', authorization: `Bearer ${team.token(by)}` };
    const reply = await broker.inject({ method: 'POST', url, headers, payload });
    expect(reply.statusCode).toBeLessThan(300);
    return reply.json();
  };
  for (const end of ['cancel', 'complete', 'complete']) {
    const { id } = await post('cy', '/objectives', { title: 'x', outcome: 'y', assignee: 'ben' });
    await post(end === 'cancel' ? 'cy' : 'ben', `/objectives/${id}/${end}`, { result: 'x' });
    if (end === 'cancel') expect(received).toEqual([]);
  }
  await expect.poll(() => received.map(({ event }) => event)).toEqual(['directive-complete']);
});
