/** Something that the command palette can open or do. */
export interface Entry {
  id: string;
  title: string;
  group: string;
  keys?: string | undefined;
  /** If it is chosen, it is offered first from now on; false for an entry that must not be chosen by mistake. */
  isRemembered?: boolean;
  run(): void;
}
