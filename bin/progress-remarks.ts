/** Progress of long work on standard error: at most one line a second, and none for work that ends before. */
import { remark } from './output.ts';

const everyMs = 1000;

export function progressRemarks(): (text: string) => void {
  let nextAt = performance.now() + everyMs;
  return (text) => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + everyMs;
    remark(text);
  };
}
