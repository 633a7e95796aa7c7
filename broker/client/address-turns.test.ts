import { Agent } from 'node:http';
import { expect, it } from 'vitest';
import { type Attempt, createAddressTurns } from './address-turns.ts';
import { ConnectionError } from './connection-error.ts';

const agent = new Agent();
const refused = new Error('refused');

function turnsOf(...urls: string[]) {
  const [first = '', ...further] = urls;
  const turns = createAddressTurns({ url: first, agent });
  turns.replaceFurther(further.map((url) => ({ url, agent })));
  const tried: string[] = [];
  /** The addresses at which somebody answers. */
  const up = new Set<string>();
  const attempt: Attempt<string> = async ({ url }, onConnected) => {
    tried.push(url);
    if (!up.has(url)) throw new Error(`${url} is refused`);
    onConnected();
    return url;
  };
  const reach = (through = attempt, mayGoOn = () => true) => {
    tried.length = 0;
    return turns.reach(through, mayGoOn);
  };
  return { turns, tried, up, reach };
}

it('the first address that can be reached is used from then on', async () => {
  const { tried, up, reach } = turnsOf('a', 'b', 'c');
  up.add('c');
  expect(await reach()).toBe('c');
  expect(tried).toEqual(['a', 'b', 'c']);
  up.add('a');
  expect(await reach()).toBe('c');
  expect(tried).toEqual(['c']);
  up.delete('c');
  expect(await reach()).toBe('a');
});

it('each address is tried once, and the error is that of the first one', async () => {
  const { tried, up, reach } = turnsOf('a', 'b', 'c');
  up.add('b');
  await reach();
  up.clear();
  await expect(reach()).rejects.toThrow('a is refused');
  expect(tried).toEqual(['b', 'c', 'a']);
});

it('a request that may have arrived is not sent to another address', async () => {
  const { tried, reach } = turnsOf('a', 'b');
  const breaking: Attempt<string> = async ({ url }, onConnected) => {
    tried.push(url);
    onConnected();
    throw refused;
  };
  await expect(reach(breaking)).rejects.toBe(refused);
  expect(tried).toEqual(['a']);
});

it('no other address is tried when nobody waits anymore', async () => {
  const { tried, reach } = turnsOf('a', 'b');
  await expect(reach(undefined, () => false)).rejects.toThrow('a is refused');
  expect(tried).toEqual(['a']);
});

it('another key at the first address is an error, and at a further one it is not', async () => {
  const { turns, tried, reach } = turnsOf('a', 'b', 'c');
  const foreign = new ConnectionError('tls', 'another key');
  let impostor = 'b';
  const attempt: Attempt<string> = async ({ url }, onConnected) => {
    tried.push(url);
    if (url === impostor) throw foreign;
    if (url === 'a') throw refused;
    onConnected();
    return url;
  };
  expect(await reach(attempt)).toBe('c');
  expect(tried).toEqual(['a', 'b', 'c']);
  impostor = 'a';
  turns.replaceFurther([{ url: 'b', agent }]);
  await expect(reach(attempt)).rejects.toBe(foreign);
  expect(tried).toEqual(['a']);
});

it('requests at the same time skip no address', async () => {
  const { up, reach } = turnsOf('a', 'b', 'c');
  up.add('b');
  expect(await Promise.all([reach(), reach(), reach()])).toEqual(['b', 'b', 'b']);
});
