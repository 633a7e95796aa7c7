/** `muster search`: messages and objectives by their words (specification/search.md). */
import { type ChannelSlugs, readChannelSlugs } from '#client/channel-slugs.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { channelScope, formatScope, parseScope, type Scope } from '#protocol/scope.ts';
import type { SearchResult } from '#protocol/search.ts';
import { searchFurther } from '#protocol/search-further.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { channelIdOf } from '../channel-name.ts';
import { localTime } from '../message-line.ts';
import { print, printJson, remark } from '../output.ts';
import { scopeText } from '../scope-text.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

const scopeForms = 'general, dm:<member>, chan:<channel>, or obj:<objective id>';
const { pageDefault, pageMax } = limits.search;

export const verb = defineVerb({
  usage: 'muster search <words…> [options]',
  takesArguments: true,
  options: {
    in: {
      type: 'string',
      value: '<scope>',
      help: `only in ${scopeForms}`,
    },
    from: { type: 'string', value: '<member>', help: 'only results from this member' },
    limit: {
      type: 'string',
      value: '<n>',
      help: `number of results, 1 to ${pageMax} (default: ${pageDefault})`,
    },
    before: {
      type: 'string',
      value: '<next>',
      help: 'the next page: the value that the previous page printed',
    },
    ...clientOptions,
  },
  notes: [
    'A result contains all words. Put a phrase in quotation marks: muster search \'"release notes" friday\'',
  ],
  async run({ positionals, values, env }) {
    const { from, limit, before } = values;
    if (positionals.length === 0)
      throw new UsageError('there is nothing to search for. Write "muster search <words…>".');
    if (limit !== undefined && !(/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= pageMax))
      throw new UsageError(`--limit must be a number from 1 to ${pageMax}`);
    const scope = values.in === undefined ? undefined : scopeOf(values.in);
    const { client } = await connectToBroker(values, env);
    const place = scope && (await placeOf(client, scope));
    const q = positionals.join(' ');
    const reply = await searchFurther(
      (page) => client.call('search', { query: { q, in: place, from, limit, before: page } }),
      before,
    );
    if (values.json) {
      printJson(reply);
      return 0;
    }
    const slugs = await slugsFor(client, reply.results);
    for (const result of reply.results) print(resultLine(result, slugs));
    if (reply.results.length === 0)
      remark(
        reply.next === null ? 'no results; try fewer or other words' : 'no results among the newest messages',
      );
    if (reply.indexing)
      remark('the broker is still indexing older messages after an update, so results may be missing');
    if (reply.next !== null) remark(`for more results, add --before ${oneLine(reply.next)}`);
    return 0;
  },
});

/** @throws UsageError. */
function scopeOf(written: string): Scope {
  const scope = parseScope(written.replaceAll(':@', ':'));
  if (scope !== undefined) return scope;
  throw new UsageError(`--in must be ${scopeForms}`);
}

/** Returns the scope as the broker names it: a channel may be written by its slug. @throws as `channelIdOf`. */
async function placeOf(client: BrokerClient, scope: Scope): Promise<string> {
  if (scope.kind !== 'channel') return formatScope(scope);
  return formatScope(channelScope(await channelIdOf(client, scope.channelId)));
}

/** Empty if no result is in a channel. */
async function slugsFor(client: BrokerClient, results: readonly SearchResult[]): Promise<ChannelSlugs> {
  const isInChannel = ({ scope }: SearchResult): boolean => parseScope(scope)?.kind === 'channel';
  return results.some(isInChannel) ? readChannelSlugs(client) : new Map();
}

function resultLine(result: SearchResult, slugs: ChannelSlugs): string {
  const { ts, from, kind, id, snippet } = result;
  const scope = parseScope(result.scope);
  const place = scope === undefined ? result.scope : scopeText(scope, slugs);
  const what = kind === 'objective' ? `${from} created ${id}` : from;
  return oneLine(`${localTime(ts)}  ${place}  ${what}: ${snippet}`);
}
