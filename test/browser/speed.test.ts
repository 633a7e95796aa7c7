/** How fast the console is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';
import { consoleFolder } from './testing/built-console.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';

/** Times say something on a quiet machine only: CONSOLE_SPEED=1 npm run unit -- test/browser/speed. */
const measures = process.env.CONSOLE_SPEED === '1';

const messages = measures ? 10_000 : 1;
const objectives = measures ? 1000 : 1;
let shared: ConsoleTeam;
let oldest: string;

/** Several at a time, so that commits are shared. */
async function many(count: number, make: (n: number) => Promise<unknown>): Promise<void> {
  const width = 100;
  for (let from = 0; from < count; from += width)
    await Promise.all(Array.from({ length: Math.min(width, count - from) }, (_, n) => make(from + n)));
}

beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['operator'] } });
  const ben = shared.team.as('ben');
  const first = await ben.call('push', { body: { to: null, body: 'the oldest' } });
  oldest = first.message.id;
  await many(messages - 1, (n) => ben.call('push', { body: { to: null, body: `message **${n}**` } }));
  await many(objectives, (n) =>
    ben.call('createObjective', {
      body: { title: `Objective ${n}`, outcome: 'It is done', assignee: 'ben', body: '', watchers: [] },
    }),
  );
}, 120_000);
afterAll(() => shared?.stop());

describe('the console is fast', () => {
  it('in size: the scripts of the first page stay below 250 kB gzip', () => {
    const html = readFileSync(join(consoleFolder, 'index.html'), 'utf8');
    const named = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file ?? '');
    expect(named.length).toBeGreaterThan(0);
    const bytes = named.reduce(
      (sum, file) => sum + gzipSync(readFileSync(join(consoleFolder, file))).length,
      0,
    );
    const all = readdirSync(join(consoleFolder, 'assets')).filter((name) => name.endsWith('.js')).length;
    console.info(`first scripts: ${Math.round(bytes / 1024)} kB gzip in ${named.length} of ${all} files`);
    expect(bytes).toBeLessThan(250_000);
  });

  it.runIf(measures)('in its first paint: below a second', async () => {
    const { page, context } = await shared.open('ada');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const paints: number[] = [];
    for (let n = 0; n < 3; n++) {
      await page.reload();
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      paints.push(
        Number(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)),
      );
    }
    console.info(`first contentful paint: ${paints.map(Math.round).join(', ')} ms`);
    expect(Math.min(...paints)).toBeLessThan(1000);
    await context.close();
  });

  it.runIf(measures)(
    'in typing under 10,000 messages, and while live messages come in',
    { timeout: 180_000 },
    async () => {
      const { page, context, errors } = await shared.open('ada', {
        path: `/app/conversations/general?message=${oldest}`,
      });
      await page.getByText('the oldest').waitFor({ timeout: 120_000 });
      await page.evaluate(`
      window.typing = []; window.tasks = [];
      new PerformanceObserver((list) => { for (const it of list.getEntries()) if (it.name.startsWith('key') || it.name === 'input') typing.push(it.processingEnd - it.processingStart); })
        .observe({ type: 'event', durationThreshold: 16 });
      new PerformanceObserver((list) => { for (const it of list.getEntries()) tasks.push(it.duration); }).observe({ type: 'longtask' });
    `);
      await page
        .getByLabel(/^Message #?general/)
        .pressSequentially('A sentence of some length to type.', { delay: 20 });
      const typed = (await page.evaluate('[typing, tasks]')) as [number[], number[]];
      console.info(
        `typing: longest handler ${Math.max(0, ...typed[0]).toFixed(1)} ms, ${typed[1].length} tasks over 50 ms`,
      );
      expect(typed[1]).toEqual([]);
      expect(Math.max(0, ...typed[0])).toBeLessThan(16);

      await page.evaluate('tasks.length = 0');
      const ben = shared.team.as('ben');
      const started = Date.now();
      for (let second = 0; second < 30; second++) {
        await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            ben.call('push', { body: { to: null, body: `live ${second}-${n}` } }),
          ),
        );
        await page.mouse.wheel(0, 300);
      }
      const took = Date.now() - started;
      await page.getByRole('button', { name: 'Jump to latest' }).click();
      await page.getByText('live 29-9').waitFor();
      const tasks = (await page.evaluate('tasks')) as number[];
      console.info(
        `300 live messages in ${took} ms: longest task ${Math.round(Math.max(0, ...tasks))} ms, ${tasks.length} over 50 ms`,
      );
      expect(Math.max(0, ...tasks)).toBeLessThan(50);
      expect(errors).toEqual([]);
      await context.close();
    },
  );

  it.runIf(measures)('with 1,000 objectives, and an exchange of 2 MB', { timeout: 60_000 }, async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives' });
    await page.getByText('1000 of 1000').waitFor();
    expect(await page.getByRole('list', { name: 'Objectives' }).getByRole('listitem').count()).toBeLessThan(
      80,
    );
    const text = 'word '.repeat(20_000);
    await shared.team.as('ben').call('uploadActivity', {
      params: { name: 'ben' },
      body: {
        events: [
          exchange(Date.now(), {
            request: {
              system: text,
              messages: Array.from({ length: 20 }, () => ({
                role: 'user',
                content: [{ type: 'text', text }],
              })),
              tools: null,
              maxTokens: null,
              temperature: null,
            },
          }),
        ] as never,
      },
    });
    await page.goto('/app/activity?member=ben&kind=llm_exchange');
    await page.getByRole('button', { name: /^exchange/ }).waitFor();
    const before = Date.now();
    await page.getByRole('button', { name: /^exchange/ }).click();
    await page.getByRole('dialog').getByText('What it was told').waitFor();
    console.info(`an exchange of 2 MB opened in ${Date.now() - before} ms`);
    expect(Date.now() - before).toBeLessThan(2000);
    await context.close();
  });
});
