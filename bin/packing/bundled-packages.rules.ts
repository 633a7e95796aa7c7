/** The package that a module of a bundle belongs to. */

/** The bundler's own helpers, by the beginning of their names. */
const helperPackages: [prefix: string, folder: string][] = [
  ['rolldown/', 'node_modules/rolldown'],
  ['vite/', 'node_modules/vite'],
  ['@oxc-project+runtime', 'node_modules/@oxc-project/runtime'],
  ['plugin-vue:', 'node_modules/@vitejs/plugin-vue'],
];

/**
 * Returns the folder of the package of a module, relative to `root`, such as `node_modules/a/node_modules/@b/c`; null for
 * a file of Muster itself. `id` is the bundler's name of the module. @throws Error for a generated module of unknown origin.
 */
export function packageFolderOf(id: string, root: string): string | null {
  const path = id.replaceAll('\\', '/').replace(/^\0/, '').split('?')[0] ?? '';
  const base = root.replaceAll('\\', '/').replace(/\/$/, '');
  const within = path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path;
  const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(within)?.[0];
  if (folder !== undefined) return folder;
  if (!id.startsWith('\0')) return null;
  const helper = helperPackages.find(([prefix]) => path.startsWith(prefix));
  if (helper === undefined)
    throw new Error(`the package of the generated module "${path}" is unknown; add it to helperPackages`);
  return helper[1];
}
