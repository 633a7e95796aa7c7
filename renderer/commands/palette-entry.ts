/** Something that the command palette can open or do. */
export interface Entry {
  id: string;
  title: string;
  group: string;
  keys?: string | undefined;
  /** A command of the screen, which acts on what has the focus there. */
  isOfScreen?: boolean;
  /** If it is chosen, it is offered first from now on; false for an entry that must not be chosen by mistake. */
  isRemembered?: boolean;
  /** Offered while nothing better is known. */
  isFallback?: boolean;
  run(): void;
}
