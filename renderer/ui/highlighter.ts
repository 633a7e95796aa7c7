/**
 * Highlights code in one worker for the page, one block after the other. Highlight.js may take minutes for a
 * hostile text, so the page ends the worker that takes too long, and another one serves the next block.
 */
import type { CodeToken } from './code-block.tsx';
import type { HighlightNews, HighlightRequest } from './highlight-worker.ts';
import workerUrl from './highlight-worker.ts?worker&url';
import { rememberNewest } from './newest.rules.ts';

const highlightTimeoutMs = 500;
const maxRefused = 200;

interface Job extends HighlightRequest {
  onTokens: (tokens: readonly CodeToken[] | null) => void;
}

let worker: Worker | null = null;
let current: Job | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
/** In the order in which they came. */
const waiting = new Set<Job>();
/** The code that took too long. */
const refused = new Set<string>();

const nameOf = ({ code, language }: HighlightRequest): string => `${language}\n${code}`;

function endWorker(): void {
  worker?.terminate();
  worker = null;
}

function finish(tokens: readonly CodeToken[] | null): void {
  clearTimeout(timer);
  const job = current;
  current = null;
  job?.onTokens(tokens);
  serveNext();
}

function giveUp(): void {
  endWorker();
  if (current !== null) rememberNewest(refused, nameOf(current), maxRefused);
  finish(null);
}

function startWorker(): Worker {
  const started = new Worker(workerUrl, { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<HighlightNews>) => {
    if (started !== worker) return;
    if (data.kind === 'done') finish(data.tokens);
    else timer = setTimeout(giveUp, highlightTimeoutMs);
  });
  // It could not be loaded, for example because the page is offline. Every block stays as it is.
  started.addEventListener('error', () => {
    if (started !== worker) return;
    endWorker();
    waiting.clear();
    finish(null);
  });
  return started;
}

function serveNext(): void {
  if (current !== null) return;
  for (const job of waiting) {
    waiting.delete(job);
    if (refused.has(nameOf(job))) continue;
    current = job;
    worker ??= startWorker();
    worker.postMessage({ code: job.code, language: job.language } satisfies HighlightRequest);
    return;
  }
}

/**
 * Puts the script of the worker into the browser's cache, from which a worker starts without the broker, too. Resolves
 * also if that fails; the first block of code then asks for the script again.
 */
export async function loadHighlighterAhead(): Promise<void> {
  try {
    const response = await fetch(workerUrl);
    await response.arrayBuffer();
  } catch {
    // The broker is away.
  }
}

/**
 * Calls `onTokens` later, and at most once: with null if the code cannot be highlighted, and never if it took
 * too long before. Returns a function that drops the job.
 */
export function highlight(request: HighlightRequest, onTokens: Job['onTokens']): () => void {
  const job = { ...request, onTokens };
  waiting.add(job);
  serveNext();
  return () => {
    waiting.delete(job);
    job.onTokens = () => undefined;
  };
}
