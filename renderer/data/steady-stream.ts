/** A live stream that says when it stands, and is asked for again when it was refused: a browser gives a refused one up for good. */
import type { LiveRequest, Transport } from './transport.ts';

export interface SteadyRequest extends LiveRequest {
  /** From here on everything comes. `isWhole`: nothing is missing since the last time, it went on where it had ended. */
  onReady(isWhole: boolean): void;
}

const firstWaitMs = 1000;
const maxWaitMs = 30_000;

/** `placing` is the event that carries the place in the stream. Answers the function that closes it. */
export function openSteadily(
  transport: Transport,
  { url, events, onEvent, onState, onReady }: SteadyRequest,
  placing: string,
): () => void {
  let close = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstWaitMs;
  function open(): void {
    // A stream without a place to resume from begins with what is new.
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
