/** A stored exchange as a turn of a transcript: what it added to the conversation (specification/activity.md#transcript). */
import type { ActivityTurn } from '#protocol/activity-summary.ts';
import { limits } from '#protocol/limits.ts';
import { listOf, objectOf, type SummarizedRow, wordOf } from './activity-summary.ts';

const { text: maxText, blocks: maxBlocks, side: maxSide } = limits.activity.transcript;

const types = ['text', 'tool_use', 'tool_result', 'image', 'thinking', 'unknown'];

/** The part of a side of a turn that may still be kept, in characters. */
interface Budget {
  left: number;
  isCut: boolean;
}

/** The length of a number or a bracket. */
const partSize = 8;

/** Returns as much of the value as the budget allows. The depth of what is stored is limited. */
function shortened(value: unknown, budget: Budget): unknown {
  if (typeof value === 'string') {
    const kept = value.slice(0, Math.min(maxText, budget.left));
    if (kept.length < value.length) budget.isCut = true;
    budget.left -= kept.length;
    return kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  const parts: [string, unknown][] = [];
  for (const [key, part] of Object.entries(value)) {
    budget.left -= key.length + partSize;
    if (budget.left <= 0) {
      budget.isCut = true;
      break;
    }
    parts.push([key, shortened(part, budget)]);
  }
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

function blocksOf(messages: readonly Record<string, unknown>[]) {
  const all = messages
    .flatMap(({ content }) => listOf(content))
    .filter(({ type }) => types.includes(String(type)));
  const budget: Budget = { left: maxSide, isCut: all.length > maxBlocks };
  const blocks: ActivityTurn['said'] = [];
  for (const block of all.slice(0, maxBlocks)) {
    // A block is useless without its type.
    if (budget.left < partSize * partSize) {
      budget.isCut = true;
      break;
    }
    blocks.push({ ...(shortened(block, budget) as ActivityTurn['said'][number]), type: block.type } as never);
  }
  return { blocks, isCut: budget.isCut };
}

export function turnOf({ id, ts, failed, event, last }: SummarizedRow): ActivityTurn {
  const { duration, entry: received } = objectOf(JSON.parse(event));
  const entry = objectOf(received);
  const sent =
    last === null ? listOf(objectOf(entry.request).messages).slice(-1) : [objectOf(JSON.parse(last))];
  const [got, said] = [blocksOf(sent), blocksOf(listOf(objectOf(entry.response).messages))];
  return {
    id,
    ts,
    duration: Number(duration) || 0,
    model: wordOf(entry.model),
    isFailed: failed === 1,
    isCut: got.isCut || said.isCut,
    got: got.blocks,
    said: said.blocks,
  };
}
