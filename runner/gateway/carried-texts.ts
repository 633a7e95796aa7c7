/**
 * The team's messages that a request to a model carries, read from its bytes as they pass, however many bytes there
 * are (specification/runner.md#bringing-messages-to-the-model).
 */
import type { Transform } from 'node:stream';
import { sealOf } from '../delivery/message-seal.ts';
import { decoderFor } from './body-copy.ts';

export interface CarriedTexts {
  /** The ids in the frames of messages that this runner wrote. */
  readonly ids: ReadonlySet<string>;
  /** Those of the wanted texts that were in it. */
  readonly texts: ReadonlySet<string>;
  /** The request offers tools, as those of the agent's conversation do; requests for titles and the like do not. */
  readonly isConversation: boolean;
}

export interface CarriedTextsReader {
  add(chunk: Buffer): void;
  /** Resolves when everything was read. A body that cannot be decoded carries nothing. */
  end(): Promise<CarriedTexts>;
}

/**
 * In a JSON string, once or twice encoded; Codex escapes `<` in what its hook at the end of a turn brings (seen on
 * 0.169.0). The seal
 * shows that the runner wrote it, and not a file, a page, or the result of a tool.
 */
const frame = /(?:<|&lt;)svc-message id=\\+"([0-9a-f]{8}-[0-9a-f-]{27})\\+" seal=\\+"([0-9a-f]{16})\\+"/g;
/** In a string, the quotes would be escaped. */
const toolList = /"tools"\s*:\s*\[\s*\{/;
/** Longer than a frame's beginning and than any wanted text. */
const overlap = 256;
const maxIds = 10_000;

/** `wanted`: ASCII texts of at most 200 characters. `encoding` as in Content-Encoding. */
export function readCarriedTexts(
  encoding: string | undefined,
  wanted: readonly string[],
): CarriedTextsReader {
  const ids = new Set<string>();
  const texts = new Set<string>();
  let isConversation = false;
  let tail = '';

  function scan(chunk: Buffer): void {
    const text = tail + chunk.toString('latin1');
    for (const [, id, seal] of text.matchAll(frame))
      if (id !== undefined && seal === sealOf(id) && ids.size < maxIds) ids.add(id);
    for (const one of wanted) if (!texts.has(one) && text.includes(one)) texts.add(one);
    isConversation ||= toolList.test(text);
    tail = text.slice(-overlap);
  }

  const decoders = decodersOf(encoding);
  const [first] = decoders ?? [];
  const last = decoders?.at(-1);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  if (first === undefined || last === undefined) end();
  else {
    for (const [at, decoder] of decoders?.entries() ?? []) {
      decoder.once('error', () => end()).once('close', () => end());
      const next = decoders?.[at + 1];
      if (next !== undefined) decoder.pipe(next);
    }
    last.on('data', scan).once('end', () => end());
  }

  return {
    add(chunk) {
      if (first === undefined) {
        if (decoders !== null) scan(chunk);
      } else if (first.writable) first.write(chunk);
    },
    async end() {
      if (first?.writable) first.end();
      await ended;
      return { ids, texts, isConversation };
    },
  };
}

/** In the order in which they are undone; null if one is not known. */
function decodersOf(encoding: string | undefined): Transform[] | null {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const decoders = names.reverse().map(decoderFor);
  return decoders.every((decoder) => decoder !== null) ? decoders : null;
}
