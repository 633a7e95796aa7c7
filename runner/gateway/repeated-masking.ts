/**
 * Masks texts that come again and again: each request of an agent repeats its conversation, and most texts in it hold no
 * secret. Of those, only digests are kept.
 */
import { hash } from 'node:crypto';
import { maskText } from './masking.rules.ts';

/** A shorter text is masked sooner than it is looked up. */
const minCharacters = 200;
const maxDigests = 8192;

export function createRepeatedMasking(): (text: string) => string {
  /** Of texts without secrets, those that came longest ago first. */
  const harmless = new Set<string>();
  return (text) => {
    if (text.length < minCharacters) return maskText(text);
    const digest = hash('sha256', text, 'base64');
    if (!harmless.delete(digest)) {
      const shown = maskText(text);
      if (shown !== text) return shown;
    }
    harmless.add(digest);
    if (harmless.size > maxDigests) {
      const [oldest = ''] = harmless;
      harmless.delete(oldest);
    }
    return text;
  };
}
