/**
 * A live stream that reports when it is ready, and reconnects after a refused request, for which an
 * EventSource gives up.
 */
import type { LiveRequest, Transport } from './transport.ts';

export interface SteadyRequest extends LiveRequest {
  /** Called when all further events will arrive. `isWhole`: the stream resumed without a gap. */
  onReady(isWhole: boolean): void;
}

const firstWaitMs = 1000;
const maxWaitMs = 30_000;

/**
 * `placing` is the event whose id marks the position in the stream. Returns a function that closes the
 * stream.
 */
export function openSteadily(
  transport: Transport,
  { url, events, onEvent, onState, onReady }: SteadyRequest,
  placing: string,
): () => void {
  let close = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstWaitMs;
  function open(): void {
    // Without a position to resume from, a stream begins with new events.
    let hasPlace = false;
    close = transport.open({
      url,
      events: [...new Set([...events, placing, 'ready'])],
      onState(state) {
        onState(state);
        if (state !== 'refused') return;
        close();
        timer = setTimeout(open, waitMs);
        waitMs = Math.min(waitMs * 2, maxWaitMs);
      },
      onEvent(event) {
        if (event.event === 'gap') {
          hasPlace = false;
          return;
        }
        if (event.event === placing) hasPlace = true;
        if (event.event === 'ready') {
          waitMs = firstWaitMs;
          onReady(hasPlace);
        }
        onEvent(event);
      },
    });
  }
  open();
  return () => {
    clearTimeout(timer);
    close();
  };
}
