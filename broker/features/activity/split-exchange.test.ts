import { expect, it } from 'vitest';
import { joinedExchange, splitExchange } from './split-exchange.ts';

const again = (text: string, member = 'ben'): string => {
  const { event, place, pieces } = splitExchange(member, JSON.parse(text));
  const [system = null, tools = null] = [pieces.system, pieces.tools].map(([piece]) =>
    piece === undefined ? null : Buffer.from(piece.text),
  );
  const messages = pieces.messages.map((piece) => Buffer.from(piece.text));
  JSON.parse(event);
  return joinedExchange(Buffer.from(event), place, { system, tools, messages }).toString();
};

it.each([
  '{"kind":"llm_exchange","ts":1,"entry":{"kind":"x","request":{"system":"é","tools":[{"a":1}],"messages":[{"b":"\u2028"},{}],"maxTokens":1}}}',
  '{"ts":1,"entry":{"request":{"system":null,"tools":null,"messages":[]}}}',
  '{"entry":{"response":null,"request":{"system":"","tools":[],"messages":[{"role":"user"}],"__proto__":{"x":1}}}}',
  '{"entry":{"\\"request\\":{":"\\"request\\":{","request":{"system":null,"tools":null,"messages":[[]],"request":{}}}}',
])('joins what it split: %s', (text) => {
  expect(JSON.stringify(sorted(JSON.parse(again(text))))).toBe(JSON.stringify(sorted(JSON.parse(text))));
});

/** With its keys in order, also those that an object literal would not keep. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, sorted(one)]);
}

const hashesOf = (member: string, messages: unknown[], system: unknown = null) =>
  splitExchange(member, { entry: { request: { system, tools: null, messages } } }).pieces;

it('names a message by everything before it, and by its member', () => {
  const names = [
    ...hashesOf('ben', ['a', 'b']).messages,
    ...hashesOf('ben', ['b']).messages,
    ...hashesOf('cy', ['a']).messages,
    ...hashesOf('ben', [], 'a').system,
  ].map((piece) => piece.hash.toString('hex'));
  expect(new Set(names).size).toBe(names.length);
  expect(hashesOf('ben', ['a', 'b', 'c']).messages[1]?.hash).toEqual(
    hashesOf('ben', ['a', 'b']).messages[1]?.hash,
  );
});
