/** Relative paths in a configuration of Codex, which start in the folder of their file (seen on 0.169.0). */

type Table = Readonly<Record<string, unknown>>;

/** `*` is any key of a table, or any item of a list. */
const topPaths = [
  ['model_instructions_file'],
  ['experimental_instructions_file'],
  ['experimental_compact_prompt_file'],
  ['model_catalog_json'],
  ['js_repl_node_path'],
  ['js_repl_node_module_dirs', '*'],
  ['zsh_path'],
];
const paths = [
  ...topPaths,
  ...topPaths.map((path) => ['profiles', '*', ...path]),
  ['log_dir'],
  ['sqlite_home'],
  ['sandbox_workspace_write', 'writable_roots', '*'],
  ['agents', '*', 'config_file'],
  ['skills', 'config', '*', 'path'],
];

function at(value: unknown, [key, ...rest]: readonly string[], change: (path: string) => string): unknown {
  if (key === undefined) return typeof value === 'string' ? change(value) : value;
  if (Array.isArray(value)) return key === '*' ? value.map((item) => at(item, rest, change)) : value;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    key === '*' || key === name ? at(item, rest, change) : item,
  ]);
  return Object.fromEntries(entries);
}

/** Returns the configuration with `absolute` applied to every value that Codex reads as a path. */
export const withPaths = (config: Table, absolute: (path: string) => string): Table =>
  paths.reduce<Table>((table, path) => ({ ...(at(table, path, absolute) as Table) }), config);
