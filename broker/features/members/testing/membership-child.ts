/**
 * A real broker that creates, rotates, and removes members forever: `<svc.json> <main.db> <a manager's token>
 * <round>`. It prints one JSON line before each step and one after it is acknowledged.
 */
import { createBroker } from '../../../create-broker.ts';
import { createLog } from '../../../runtime/log.ts';

const [configPath = '', dbPath = '', bearer = '', round = ''] = process.argv.slice(2);
const log = createLog({ level: 'silent' });
const broker = await createBroker({ configPath, dbPath, env: {}, log });

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function step(kind: string, name: string, method: 'POST' | 'DELETE', path: string, payload?: object) {
  say({ begin: kind, name });
  const reply = await broker.inject({
    method,
    url: path,
    headers: { host: 'localhost', authorization: `Bearer ${bearer}` },
    ...(payload !== undefined && { payload }),
  });
  if (reply.statusCode >= 300) throw new Error(`${kind} answered ${reply.statusCode}: ${reply.body}`);
  const { token } = reply.body === '' ? { token: null } : reply.json();
  say({ done: kind, name, token });
}

for (let i = 0; ; i++) {
  const name = `m${round}-${i}`;
  await step('create', name, 'POST', '/members', { name, role: { title: 'x' }, permissions: [] });
  await step('rotate', name, 'POST', `/members/${name}/rotate-token`);
  if (i % 2 === 0) await step('remove', name, 'DELETE', `/members/${name}`);
}
