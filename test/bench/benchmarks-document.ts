/** docs/benchmarks.md, of which each command writes a section; the rest is written by hand. */
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../../docs/benchmarks.md', import.meta.url);

/**
 * Returns a document in Markdown with another text below a heading of the second level. A section that is not there comes last.
 * Pure.
 */
export function withSection(document: string, heading: string, text: string): string {
  const section = `## ${heading}\n\n${text.trim()}\n`;
  const parts = document.split(/^(?=## )/m);
  const place = parts.findIndex((part) => part.startsWith(`## ${heading}\n`));
  if (place === -1) return `${document.trimEnd()}\n\n${section}`;
  return parts.with(place, place === parts.length - 1 ? section : `${section}\n`).join('');
}

export function writeSection(heading: string, text: string): void {
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), heading, text));
}
