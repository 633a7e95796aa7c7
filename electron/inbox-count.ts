/** How many items need the member who is logged in at this desktop: as many as `GET /inbox` lists. */
import type { BrokerClient } from '#protocol/client.ts';

export interface InboxCount {
  readonly count: number;
  /** Something may have changed. The inbox is read at once, or after the pause that follows each reading. */
  read(): void;
  close(): void;
}

export interface InboxCountDeps {
  /** Acts as the member who is logged in. */
  client: BrokerClient;
  /** Null if nobody is logged in. */
  member(): string | null;
  /** Called when `count` changed. */
  onChange(): void;
  log: { warn(details: object, message: string): void };
  pauseMs?: number;
}

export function createInboxCount({
  client,
  member,
  onChange,
  log,
  pauseMs = 1000,
}: InboxCountDeps): InboxCount {
  let count = 0;
  let counted: string | null = null;
  let isReading = false;
  let isWanted = false;
  let isClosed = false;
  let pause: ReturnType<typeof setTimeout> | null = null;

  function tell(now: number): void {
    if (now === count) return;
    count = now;
    onChange();
  }

  async function once(self: string): Promise<void> {
    try {
      const { items } = await client.call('inbox', { query: {} });
      if (self === member()) tell(items.length);
    } catch (error) {
      if (!isClosed) log.warn({ err: error }, 'the inbox could not be read');
    }
  }

  function read(): void {
    const self = member();
    // The count of an earlier member is never shown to another one.
    if (self !== counted) tell(0);
    counted = self;
    if (isClosed || self === null) return;
    isWanted = true;
    if (isReading || pause !== null) return;
    isWanted = false;
    isReading = true;
    void once(self).finally(() => {
      isReading = false;
      if (isClosed) return;
      pause = setTimeout(() => {
        pause = null;
        if (isWanted) read();
      }, pauseMs);
    });
  }

  return {
    get count() {
      return count;
    },
    read,
    close() {
      isClosed = true;
      if (pause !== null) clearTimeout(pause);
    },
  };
}
