/** Highlights code beside the page, which ends this worker if that takes too long. It takes one job at a time. */
import type { CodeToken } from './code-block.tsx';
import { prepare, tokensOf } from './highlighting.ts';

export interface HighlightRequest {
  code: string;
  language: string;
}

/** `begun` comes when everything is loaded, so that only the highlighting itself counts against its time. */
export type HighlightNews =
  | { kind: 'begun' }
  /** `tokens` is null if there are none. */
  | { kind: 'done'; tokens: readonly CodeToken[] | null };

const tell = (news: HighlightNews): void => self.postMessage(news);

function tokensOrNull({ code, language }: HighlightRequest): readonly CodeToken[] | null {
  try {
    if (!prepare(language)) return null;
    tell({ kind: 'begun' });
    return tokensOf(code, language);
  } catch {
    return null;
  }
}

self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) =>
  tell({ kind: 'done', tokens: tokensOrNull(data) }),
);
