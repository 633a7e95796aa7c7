/** Screens, and layers over them, whose code is loaded when they are first opened, or ahead of that. */
import { type ComponentType, createElement, type ReactNode, use } from 'react';

/** The code of a screen could not be loaded. `retry` loads it again, and fails again if that fails. */
export class ScreenCodeError extends Error {
  readonly retry: () => Promise<void>;

  constructor(cause: unknown, retry: () => Promise<void>) {
    super('The code of this screen could not be loaded.', { cause });
    this.retry = retry;
  }
}

export interface LazyScreen<Props extends object = object> {
  (props: Props): ReactNode;
  /** Resolves also if the code cannot be loaded; the screen then throws a ScreenCodeError. */
  preload(): Promise<void>;
}

const made: LazyScreen['preload'][] = [];

/** The functions that load the code of screens and layers. Loading one may add those of what opens in it. */
export const preloads: readonly LazyScreen['preload'][] = made;

/** `name`: the export of the module that is the screen. */
export function lazyScreen<Name extends string, Props extends object = object>(
  importModule: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): LazyScreen<Props> {
  let loaded: ComponentType<Props> | undefined;
  let failure: ScreenCodeError | undefined;
  let underWay: Promise<void> | undefined;

  async function load(): Promise<void> {
    failure = undefined;
    try {
      loaded = (await importModule())[name];
    } catch (error) {
      failure = new ScreenCodeError(error, retry);
    } finally {
      underWay = undefined;
    }
  }
  /** Loads at most once at a time. */
  function loading(): Promise<void> {
    underWay ??= load();
    return underWay;
  }
  async function preload(): Promise<void> {
    if (loaded === undefined) await loading();
  }
  async function retry(): Promise<void> {
    await preload();
    if (failure !== undefined) throw failure;
  }
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each screen
  function Screen(props: Props): ReactNode {
    if (failure !== undefined) throw failure;
    if (loaded === undefined) use(loading());
    return loaded === undefined ? null : createElement(loaded, props);
  }
  made.push(preload);
  return Object.assign(Screen, { preload });
}
