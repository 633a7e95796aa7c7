/** Backups as somebody else could write them: whole, but with other contents. */
import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changeStore } from '../../broker/testing/store-rows.ts';

export interface Alteration {
  /** Statements for a store. */
  main?: string;
  activity?: string;
  /** Fields of the configuration. */
  config?: Record<string, unknown>;
  /** Further files by their names in the backup. */
  files?: Record<string, string>;
}

/** Copies a folder that has one backup, and changes the copy; its manifest names what it then holds. */
export async function alterBackup(
  from: string,
  to: string,
  { main, activity, config, files = {} }: Alteration,
): Promise<string> {
  await cp(from, to, { recursive: true });
  const snapshot = (await readdir(to)).find((name) => /^\d{8}T/.test(name)) ?? '';
  const at = (name: string) => join(to, snapshot, name);
  if (main !== undefined) changeStore(at('main.db'), main);
  if (activity !== undefined) changeStore(at('activity.db'), activity);
  const written = JSON.parse(await readFile(at('config/svc.json'), 'utf8'));
  await writeFile(at('config/svc.json'), JSON.stringify({ ...written, ...config }));
  for (const [name, content] of Object.entries(files)) await writeFile(at(name), content);
  const manifest = JSON.parse(await readFile(at('manifest.json'), 'utf8'));
  const names = new Set([...manifest.files.map(({ name }: { name: string }) => name), ...Object.keys(files)]);
  manifest.files = await Promise.all(
    [...names].map(async (name) => {
      const content = await readFile(at(name));
      const sha256 = createHash('sha256').update(content).digest('hex');
      return { name, bytes: content.length, sha256 };
    }),
  );
  await writeFile(at('manifest.json'), JSON.stringify(manifest));
  return to;
}
