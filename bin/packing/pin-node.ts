/**
 * `npm run pin-node -- <version>`: writes the checksums of an official release of Node to node-release.json, from the
 * `SHASUMS256.txt` of that release. Compare the difference with the signed list before you commit it.
 */
import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import { checksumsAddress, pinsFrom } from './node-release.rules.ts';

async function pin(version: string): Promise<void> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('pass a version such as 26.10.0.');
  const reply = await fetch(checksumsAddress(version));
  if (!reply.ok) throw new Error(`${reply.url} answers with status ${reply.status}.`);
  const pins = pinsFrom(version, await reply.text());
  await writeFile(new URL('./node-release.json', import.meta.url), `${JSON.stringify(pins, null, 2)}\n`);
}

await pin(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(`pin-node: ${reasonOf(error)}`);
  process.exitCode = 1;
});
