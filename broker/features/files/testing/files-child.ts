/**
 * A real broker with files: `<svc.json> <main.db> [a member's token] [seed]`. With a token, it writes,
 * overwrites, moves, and removes files forever, and prints one JSON line before each step and one after it is
 * acknowledged. Without one, it prints its address and stays.
 */
import { createHash } from 'node:crypto';
import { createBroker } from '../../../create-broker.ts';
import { createLog } from '../../../runtime/log.ts';

const [configPath = '', dbPath = '', bearer, seed = ''] = process.argv.slice(2);
const broker = await createBroker({ configPath, dbPath, env: {}, log: createLog({ level: 'silent' }) });
const [listener] = await broker.listen({ port: 0 });
const url = listener?.url ?? '';
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function ask(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers = {},
): Promise<void> {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Few contents, so that files share blobs and the last reference to one goes repeatedly. */
const contents = Array.from({ length: 4 }, (_, n) => new Uint8Array(20_000 + n * 70_000).fill(n + 1));

/** One worker of several: its files are its own, and their contents are shared. */
async function work(worker: number): Promise<never> {
  for (let n = 0; ; n++) {
    const path = `/ben/w${worker}/${n % 3}`;
    const content = contents[(n * 7 + worker) % contents.length] ?? new Uint8Array();
    const write = { path, hash: sha256(content) };
    say({ begin: [write] });
    await ask('POST', `/fs/write?path=${path}&collide=overwrite`, content);
    say({ done: [write] });
    if (n % 4 === 1) {
      const to = `/ben/w${worker}/m${seed}-${n}`;
      const move = [
        { path, hash: null },
        { path: to, hash: write.hash },
      ];
      say({ begin: move });
      await ask('POST', '/fs/mv', JSON.stringify({ from: path, to }), { 'content-type': 'application/json' });
      say({ done: move });
      say({ begin: [{ path: to, hash: null }] });
      await ask('DELETE', `/fs/rm?path=${to}`);
      say({ done: [{ path: to, hash: null }] });
    }
  }
}

say({ url });
if (bearer !== undefined) await Promise.all(Array.from({ length: 4 }, (_, worker) => work(worker)));
