/**
 * The text of svc.json in pieces, of which a change makes only those anew that it concerns: a piece of the
 * other blocks, and one of some members (specification/configuration.md#svcjson).
 */
import { randomUUID } from 'node:crypto';
import type { ConfigMember, SvcConfig } from './svc-config.ts';

/** Small enough to be made anew for one member, and large enough that a team of thousands has few. */
const membersPerPage = 64;
const separator = ',\n';
const layout = 2;
const memberIndent = ' '.repeat(3 * layout);

interface Page {
  members: readonly ConfigMember[];
  /** Each member after a separator, which the first page omits. */
  bytes: Buffer;
}

/** Returns the pieces of a configuration's text; together they are what `serialise` returns. */
export type ConfigText = (config: SvcConfig) => Buffer[];

/** Keeps the pieces that it returned last, and reuses them as far as the members are the same objects. */
export function createConfigText(): ConfigText {
  let pageByFirst = new Map<ConfigMember, Page>();

  /**
   * Returns how many members a page that begins at a place has. It ends where one began before, so that a
   * member who leaves or joins moves no other page.
   */
  function lengthOfPage(members: readonly ConfigMember[], start: number, least: number): number {
    let length = least;
    for (; length < membersPerPage; length++) {
      const next = members[start + length];
      if (next === undefined || pageByFirst.has(next)) break;
    }
    return length;
  }

  function pageAt(members: readonly ConfigMember[], start: number): Page {
    const known = pageByFirst.get(members[start] as ConfigMember);
    const isSame = known?.members.every((member, at) => member === members[start + at]) ?? false;
    const least = known !== undefined && isSame ? known.members.length : 1;
    const length = lengthOfPage(members, start, least);
    if (known?.members.length === length && isSame) return known;
    const own = members.slice(start, start + length);
    return { members: own, bytes: Buffer.from(own.map(memberText).join('')) };
  }

  function pagesOf(members: readonly ConfigMember[]): Page[] {
    const pages: Page[] = [];
    for (let start = 0; start < members.length; ) {
      const page = pageAt(members, start);
      pages.push(page);
      start += page.members.length;
    }
    return pages;
  }

  return (config) => {
    const pages = pagesOf(config.store.members);
    pageByFirst = new Map(pages.flatMap((page) => page.members.slice(0, 1).map((first) => [first, page])));
    const [head, tail] = around(config);
    const bytes = pages.map((page, at) => (at === 0 ? page.bytes.subarray(separator.length) : page.bytes));
    return [head, ...bytes, tail];
  };
}

const memberText = (member: ConfigMember): string =>
  separator + memberIndent + JSON.stringify(member, null, layout).replaceAll('\n', `\n${memberIndent}`);

/** Returns the text before and after the members. */
function around(config: SvcConfig): [Buffer, Buffer] {
  const place = randomUUID();
  const text = JSON.stringify({ ...config, store: { ...config.store, members: [place] } }, null, layout);
  const [head = '', tail = ''] = text.split(`${memberIndent}"${place}"`);
  return [Buffer.from(head), Buffer.from(`${tail}\n`)];
}
