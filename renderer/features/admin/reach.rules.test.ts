import { describe, expect, it } from 'vitest';
import { type ReachFacts, reachOf } from './reach.rules.ts';

const local = { url: 'http://127.0.0.1:8717', fingerprint: null };
const secure = { url: 'https://192.168.1.5:8718', fingerprint: 'sha256:ab' };
const plain = { url: 'http://192.168.1.5:8717', fingerprint: null };
const closed: ReachFacts = {
  ...{ listeners: [local], federation: null, origin: local.url, lanFault: null, standby: null },
};
const keysOf = (facts: Partial<ReachFacts>) =>
  reachOf({ ...closed, ...facts }).conditions.map(({ key }) => key);
const sentenceOf = (facts: Partial<ReachFacts>) => reachOf({ ...closed, ...facts }).sentence;

it('says that only the own machine reaches the broker, that nothing is needed, and what is needed before somebody joins', () => {
  expect(reachOf(closed)).toEqual({
    sentence:
      'Only the broker’s own machine can reach it. No outside platform logs members in. Nothing here needs you.',
    conditions: [],
  });
});

it('names the address for other machines, and a connected platform', () => {
  const federation = { issuer: 'https://id.example', audience: 'a', jwksUrl: 'https://id.example/keys' };
  expect(sentenceOf({ listeners: [local, secure], federation })).toBe(
    'Other machines that reach https://192.168.1.5:8718 can use this broker. The platform https://id.example also logs members in. Nothing here needs you.',
  );
});

it('names the address of the page if a proxy encrypts, and does not warn of plain HTTP behind it', () => {
  const facts = { listeners: [plain], origin: 'https://team.example.com' };
  expect(sentenceOf(facts)).toContain('reach https://team.example.com or http://192.168.1.5:8717 can');
  expect(keysOf(facts)).toEqual([]);
});

describe('warns, and does not say that nothing is needed, of', () => {
  it.each<[string, Partial<ReachFacts>, string[]]>([
    ['plain HTTP for the network', { listeners: [plain], origin: plain.url }, [`plain ${plain.url}`]],
    ['plain HTTP beside HTTPS', { listeners: [plain, secure] }, [`plain ${plain.url}`]],
    [
      'HTTPS on a machine without a network',
      { listeners: [local, { url: 'https://localhost:8718', fingerprint: 'sha256:ab' }] },
      ['no address'],
    ],
    ['LAN access that could not be opened', { lanFault: 'The port is in use.' }, ['lan']],
    [
      'machines of which none is active or could take over',
      { standby: { active: null, others: [{ isThere: true, isComplete: false }] } },
      ['active', 'others'],
    ],
  ])('%s', (_, facts, keys) => {
    expect(keysOf(facts)).toEqual(keys);
    expect(sentenceOf(facts)).not.toContain('Nothing needs you');
  });
});

it('says how to mend plain HTTP', () => {
  const [mended] = reachOf({ ...closed, listeners: [plain], origin: plain.url }).conditions;
  expect(mended?.mend).toEqual({ kind: 'command', text: 'muster setup --https' });
  const [beside] = reachOf({ ...closed, listeners: [plain, secure] }).conditions;
  expect(beside?.sentence).toMatch(/Start it again without --insecure-http\.$/);
});
