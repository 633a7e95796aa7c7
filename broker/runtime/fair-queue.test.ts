import { expect, it } from 'vitest';
import { createCompany, createFairQueue } from './fair-queue.ts';

const nextPass = () => new Promise((resolve) => setImmediate(resolve));

/** Work whose end the test decides, and the order in which it began. */
function createWork(options: Parameters<typeof createFairQueue>[0]) {
  const queue = createFairQueue(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (key: string, name: string) =>
    queue.run(key, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const settled = async () => {
    // A turn is given back in the pass of the event loop after the one in which its work ends.
    for (let pass = 0; pass < 2; pass++) await nextPass();
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { begun, add, end, settled };
}

it('lets each key have its turn, however much another one has asked for before', async () => {
  const { begun, add, end, settled } = createWork({ all: 1, perKey: 1 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add('a', name);
  for (const name of ['b1', 'b2']) void add('b', name);
  void add('c', 'c1');
  await settled();
  const order = ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'];
  for (const name of order) {
    expect(begun.at(-1)).toBe(name);
    await end(name);
  }
  expect(begun).toEqual(order);
});

it('keeps places for other keys when one key has as much running as it may', async () => {
  const { begun, add, end, settled } = createWork({ all: 3, perKey: 2 });
  for (const name of ['a1', 'a2', 'a3']) void add('a', name);
  await settled();
  expect(begun).toEqual(['a1', 'a2']);
  void add('b', 'b1');
  void add('b', 'b2');
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('always lets a key run what it may always run, beyond the number of all', async () => {
  const { begun, add, end, settled } = createWork({ all: 2, perKey: 2, always: 1 });
  for (const name of ['a1', 'a2', 'a3']) void add('a', name);
  for (const name of ['b1', 'b2']) void add('b', name);
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

it('goes on after work that fails, and passes the failure on', async () => {
  const queue = createFairQueue({ all: 1, perKey: 1 });
  const failing = queue.run('a', () => Promise.reject(new Error('no')));
  const next = queue.run('a', async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

it('goes on after work that throws at once, also if it had waited', async () => {
  const queue = createFairQueue({ all: 1, perKey: 1 });
  const throwing = (): Promise<never> => {
    throw new Error('no');
  };
  const [first, second, next] = [
    queue.run('a', throwing),
    queue.run('a', throwing),
    queue.run('a', async () => 'done'),
  ];
  await expect(first).rejects.toThrow('no');
  await expect(second).rejects.toThrow('no');
  expect(await next).toBe('done');
});

it('lets a key run more while no other one asks for anything', async () => {
  let now = 0;
  const { begun, add, end, settled } = createWork({
    all: 9,
    perKey: 1,
    alone: 3,
    company: createCompany(() => now),
  });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add('a', name);
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  void add('b', 'b1');
  for (const name of ['a1', 'a2', 'b1']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
  await end('a3');
  void add('a', 'a5');
  expect(begun.at(-1)).toBe('a4');
  now += 5000;
  void add('a', 'a6');
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'a5', 'a6']);
});

it('counts a key as company for as long as it asks now and then, whatever the other one still has waiting', async () => {
  let now = 0;
  const { begun, add, end, settled } = createWork({
    all: 9,
    perKey: 1,
    alone: 3,
    company: createCompany(() => now),
  });
  void add('b', 'b0');
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) void add('a', name);
  await settled();
  expect(begun).toEqual(['b0', 'a1']);
  await end('b0');
  for (const [at, name] of ['b1', 'b2', 'b3', 'b4', 'b5', 'b6'].entries()) {
    now = (at + 1) * 1000;
    void add('b', name);
    await settled();
    await end(name);
  }
  expect(begun.filter((name) => name.startsWith('a'))).toEqual(['a1']);
});

it('counts a key as company that asks another queue with the same company', async () => {
  let now = 0;
  const company = createCompany(() => now);
  const options = { all: 9, perKey: 1, alone: 3, company };
  const [reads, changes] = [createWork(options), createWork(options)];
  void reads.add('b', 'b1');
  for (const name of ['a1', 'a2', 'a3']) void changes.add('a', name);
  await changes.settled();
  expect(changes.begun).toEqual(['a1']);
  now = 5000;
  void changes.add('a', 'a4');
  await changes.settled();
  expect(changes.begun).toEqual(['a1', 'a2', 'a3']);
});

it('lets a key with company have no more turns in one pass of the event loop than it has places', async () => {
  const queue = createFairQueue({ all: 9, perKey: 2 });
  let done = 0;
  const atOnce = async () => {
    done++;
  };
  void queue.run('b', async () => {});
  for (let request = 0; request < 6; request++) void queue.run('a', atOnce);
  const doneByPass: number[] = [];
  while (done < 6) {
    const before = done;
    await nextPass();
    doneByPass.push(done - before);
  }
  expect(doneByPass.filter((number) => number > 0)).toEqual([2, 2]);
});

it('lets a key without company have all its turns at once', async () => {
  const queue = createFairQueue({ all: 9, perKey: 2 });
  let done = 0;
  for (let request = 0; request < 6; request++)
    void queue.run('a', async () => {
      done++;
    });
  await nextPass();
  expect(done).toBe(6);
});
