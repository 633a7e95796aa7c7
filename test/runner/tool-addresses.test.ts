/** Arguments of tools that become parts of addresses, as a model that was misled passes them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { tools } from '../../runner/toolbox/toolbox.ts';
import { openTestToolbox, type TestToolbox } from './testing/test-toolbox.ts';

let team: TestBroker;
let ada: TestToolbox;
beforeAll(async () => {
  team = await startTestBroker({ config: { files: { root: 'files' } } });
  ada = await openTestToolbox(team, 'ada');
});
afterAll(() => team.stop());

const hostile = [
  '..',
  '.',
  '/../../briefing',
  '../../briefing',
  '/ada/../../briefing',
  '/./../briefing',
  '%2e%2e/briefing',
  '/%2e%2e/%2e%2e/briefing',
  '..\\..\\briefing',
  '?limit=1',
  '#x',
  'x/../../briefing',
  '//elsewhere.example/x',
  'http://elsewhere.example/x',
  '\n/briefing',
  '\ud800',
];

/** Valid values of the other arguments. */
const fine: Record<string, unknown> = {
  ...{ to: 'ben', body: 'hello', channel: 'general', id: 'obj_0123456789', status: 'active', result: 'done' },
  ...{ title: 'T', outcome: 'O', assignee: 'ben', add: ['ben'], path: '/ada/x.txt', mimeType: 'text/plain' },
  ...{ text: 'x', from: '/ada/x.txt', query: 'x', timeoutSeconds: 1, timeout: 1 },
};

const cases = tools.flatMap((tool) => {
  const names = Object.keys(tool.input.shape);
  const textual = names.filter((name) => typeof fine[name] === 'string' && name !== 'status');
  const base = Object.fromEntries(names.flatMap((name) => (name in fine ? [[name, fine[name]]] : [])));
  return textual.map((name) => [tool.name, name, base] as const);
});

it.each(cases)('%s asks for nothing else, whatever "%s" is', async (tool, name, base) => {
  for (const value of hostile) {
    ada.addresses.splice(0);
    const text = await ada.use(tool, { ...base, [name]: value });
    expect(text).not.toContain('"instructions"');
    for (const address of ada.addresses) {
      const { origin, pathname, search } = new URL(address, team.url);
      expect([origin, pathname + search]).toEqual([team.url, address]);
    }
  }
});
