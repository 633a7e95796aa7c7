/** `npm run docs`: builds the documentation site into dist/docs. Usage: `node docs/build-site.ts [folder]` */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('.', import.meta.url));

/** Moves scripts that stand in a page to files, because the policy of the broker allows only these. */
async function moveScripts(folder: string, page: string): Promise<void> {
  const html = await readFile(page, 'utf8');
  const files = new Map<string, string>();
  const moved = html.replaceAll(
    /<script((?:(?! src=)[^>])*)>([^<]+)<\/script>/g,
    (_, attributes: string, code: string) => {
      const name = `assets/page.${createHash('sha256').update(code).digest('hex').slice(0, 12)}.js`;
      files.set(name, code);
      return `<script${attributes} src="/docs/${name}"></script>`;
    },
  );
  for (const [name, code] of files) await writeFile(join(folder, name), code);
  // Styles in attributes, which the policy forbids, too: the script of the page sets them.
  await writeFile(page, moved.replaceAll(/ style="[^"]*"/g, ''));
}

/** Builds the site into a folder, which it empties first. The generator runs as a program, because its types declare a DOM, which parts for Node do not have. */
export async function buildSite(folder: string): Promise<void> {
  // Its spinner draws without end in a terminal that does not tell its width.
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(docs, '../node_modules/vitepress/bin/vitepress.js'), 'build', docs, '--outDir', folder],
    { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the documentation was not built:\n${stdout}${stderr}`);
  const names = await readdir(folder, { recursive: true });
  for (const name of names) if (name.endsWith('.html')) await moveScripts(folder, join(folder, name));
  // As it is, for agents.
  await copyFile(join(docs, 'guides/SKILL.md'), join(folder, 'guides/SKILL.md'));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildSite(resolve(process.argv[2] ?? join(docs, '../dist/docs')));
