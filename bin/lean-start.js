// Memory of a process that starts, and then mostly waits (ADR 0013, ADR 0026).
import process from 'node:process';

const setFlags = (...flags) => {
  const v8 = process.getBuiltinModule('node:v8');
  for (const flag of flags) v8.setFlagsFromString(flag);
};

/** Makes the allocator of glibc return freed memory to the system at once. */
const allocator = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
const mark = 'SVC_SMALL_ALLOCATOR';

/**
 * Starts this program again in its own place, because the allocator reads its settings only at the start of a process.
 * The programs that it starts do not inherit them, and those of the person are left alone.
 */
export function chooseSmallAllocator() {
  const { env, platform, execve, execPath, execArgv, argv, send } = process;
  const names = Object.keys(allocator);
  if (env[mark] !== undefined) {
    for (const name of [mark, ...names]) delete env[name];
    return;
  }
  // The channel to a Node that started this one does not survive it.
  if (platform !== 'linux' || execve === undefined || send !== undefined) return;
  if (names.some((name) => env[name] !== undefined)) return;
  execve.call(process, execPath, [execPath, ...execArgv, ...argv.slice(1)], {
    ...env,
    ...allocator,
    [mark]: '1',
  });
}

const leanStart = ['--semi-space-growth-factor=1', '--heap-growing-percent=50', '--no-opt', '--no-maglev'];

/** From Node 26 on, V8 keeps 32 MiB of freed pages of large objects for some seconds. Node 24 complains about the flags. */
const returningFlags = ['--no-large-page-pool', '--memory-saver-mode'];
const firstNodeThatReturns = 26;

/** The V8 flags of `muster run`; V8 ignores the flags that it does not know, so a test asks Node for them. */
export const leanFlags = (version = process.versions.node) =>
  Number.parseInt(version, 10) < firstNodeThatReturns ? leanStart : [...leanStart, ...returningFlags];

/**
 * Sets the lean flags, because the start's allocations would make V8 keep 8 MiB more for new objects, and optimizing
 * code that runs once takes 9 MiB. Compiled code is kept for each set of flags, so call this before the cache is enabled.
 */
export const startLean = () => setFlags(...leanFlags());

/** From now on, code that runs often is optimized. */
export const endLeanStart = () => setFlags('--opt', '--maglev');

/**
 * For a server: code is optimized from the beginning, but what the start allocates does not make V8 keep 8 MiB more
 * for new objects.
 */
export const startSmall = () => setFlags('--semi-space-growth-factor=1');

/** From now on, the space for new objects grows with the work, as V8 does by default. */
export const endSmallStart = () => setFlags('--semi-space-growth-factor=2');
