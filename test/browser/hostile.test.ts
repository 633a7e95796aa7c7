/**
 * Members and agents write hostile text: a collection of injections stays text wherever it is shown, and
 * none of it runs or contacts a server.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, http } from '../../broker/features/activity/testing/activity-team.ts';
import { type ConsolePage, type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const gallery = [
  '<script>window.ran = 1; alert(1)</script>',
  '<img src=x onerror="window.ran = 1">',
  '<svg onload="window.ran = 1"><animate onbegin="window.ran = 1" attributeName=x dur=1s>',
  '<iframe src="https://evil.example/frame"></iframe>',
  '<a href="javascript:window.ran=1">raw link</a>',
  '<style>body { display: none }</style>',
  '<link rel=stylesheet href="https://evil.example/a.css"><base href="https://evil.example/">',
  '<!-- a comment --><form action="https://evil.example/"><button>Approve</button></form>',
  '[click](javascript:window.ran=1)',
  '[click](data:text/html,<script>window.ran=1</script>)',
  '[click](vbscript:window.ran=1) [case](JaVaScRiPt:window.ran=1) [tab](java&#9;script:window.ran=1)',
  '[**/app/settings**](//evil.example/app) [relative](/app/members?create=true)',
  '![beacon](https://evil.example/pixel.png) ![x](https://evil.example/a.png "t" onerror=1)',
  '![ref][r]\n\n[r]: https://evil.example/ref.png',
  '<https://evil.example/auto> <javascript:window.ran=1>',
  '`</code><script>window.ran=1</script>`',
  '```html\n</pre><script>window.ran=1</script>\n```',
  '| a | b |\n|---|---|\n| <img src=x onerror=window.ran=1> | [x](javascript:window.ran=1) |',
  '\u202Egnp.exe\u202C and \u2066hidden\u2069 \u200B zero width',
  `{{constructor.constructor("window.ran=1")()}} \${window.ran=1} %3Cscript%3E`,
  `${'deep '.repeat(5)}${'>'.repeat(300)} quoted`,
  `${'*'.repeat(2000)}${'['.repeat(2000)}`,
  `wide${'W'.repeat(9000)}`,
  `- ${'- '.repeat(4000)}nested`,
  `${'>'.repeat(16_000)} quoted`,
  `- ${'- '.repeat(20)}nested`,
];
const disguised = '[https://bank.example](https://evil.example/login)';
const short = '<img src=x onerror="window.ran=1">';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
let objectiveId: string;
let eyes: ConsolePage;
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], mal: ['operator'] } });
  const { team } = shared;
  const mal = team.as('mal');
  for (const body of gallery) await mal.call('push', { body: { to: null, title: short, body } });
  await mal.call('push', {
    body: { to: 'ada', title: null, body: `${disguised} and https://example.com/a` },
  });
  const objective = await mal.call('createObjective', {
    body: {
      title: `${short} \u202Eeltit`,
      outcome: gallery.slice(0, 12).join('\n\n'),
      assignee: 'ada',
      body: gallery.slice(0, 18).join('\n\n'),
      watchers: [],
    },
  });
  objectiveId = objective.id;
  await team.as('ada').call('updateObjective', {
    params: { id: objectiveId },
    body: { status: 'blocked', blockReason: gallery.slice(0, 10).join('\n') },
  });
  for (const [name, mime] of [
    ['<img src=x onerror=window.ran=1>.html', 'text/html'],
    ['picture.svg', 'image/svg+xml'],
    ['\u202Egpj.exe', 'image/png'],
    ['page.md', 'text/markdown'],
  ] as const) {
    const query = new URLSearchParams({ path: `/mal/${name}`, mime, collide: 'overwrite' });
    const reply = await team.fetch('mal', `/fs/write?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: `<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran=1"><script>window.ran=1</script></svg>\n${gallery.join('\n\n')}`,
    });
    expect([200, 400]).toContain(reply.status);
  }
  await mal.call('uploadActivity', {
    params: { name: 'mal' },
    body: {
      events: [
        http(Date.now(), gallery.join('\n'), { host: short, url: 'javascript:window.ran=1', method: short }),
        exchange(Date.now(), {
          model: short,
          request: {
            system: gallery.join('\n'),
            messages: [{ role: short, content: gallery.map((text) => ({ type: 'text', text })) }],
            tools: [{ name: short }],
            maxTokens: null,
            temperature: null,
          },
          response: {
            messages: [
              {
                role: 'assistant',
                content: [{ type: 'image', source: { url: 'https://evil.example/i.png' } }],
              },
              { role: 'assistant', content: [{ type: 'tool_use', name: short, input: { a: short } }] },
            ],
            stopReason: short,
            status: null,
            usage: null,
          },
        }),
      ] as never,
    },
  });
  await team.fetch(null, '/enroll', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': short },
    body: JSON.stringify({ labelHint: short }),
  });
  eyes = await shared.open('ada');
});
afterAll(() => shared?.stop());

/**
 * Nothing ran, only our own elements exist, and no link leads anywhere except to the web or within the
 * console.
 */
async function isHarmless(page: Page): Promise<void> {
  const found = (await page.evaluate(`({
    ran: 'ran' in window,
    foreign: [...document.querySelectorAll('#root :is(script, iframe, object, embed, form[action], base, style, animate), #root [onerror], #root [onload]')].map((one) => one.outerHTML),
    images: [...document.images].map((one) => one.src).filter((src) => !src.startsWith(location.origin)),
    links: [...document.links].map((one) => one.protocol).filter((one) => !['http:', 'https:'].includes(one)),
    wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  })`)) as object;
  expect(found).toEqual({ ran: false, foreign: [], images: [], links: [], wide: false });
}

describe('what hostile members write', () => {
  it.each([
    ['messages', '/app/conversations/general'],
    ['the list of objectives', '/app/objectives'],
    ['an objective', () => `/app/objectives/${objectiveId}`],
    ['home', '/app'],
    ['search', '/app/conversations/general?search=onerror'],
    ['machines', '/app/admin/machines'],
    ['files', '/app/files?path=/mal'],
    ['a picture that scripts', '/app/files?path=/mal&file=/mal/picture.svg'],
    ['a page', '/app/files?path=/mal&file=/mal/page.md'],
    ['activity', '/app/activity?member=mal'],
  ])('is shown as text in %s', async (_, path) => {
    const { page, errors } = eyes;
    await page.goto(typeof path === 'string' ? path : path());
    await page
      .getByText(/onerror|hidden|pixel|picture|WWWW|nested/)
      .filter({ visible: true })
      .first()
      .waitFor();
    // Usage per model shows the names that the agent reported.
    if (path.toString().includes('/app/activity')) {
      await page.locator('summary').filter({ hasText: 'in 30 days' }).click();
      await page.getByRole('table', { name: 'Tokens of mal' }).waitFor();
    }
    const rows = page.getByRole('link', { name: /^(model|web) request/ });
    if ((await rows.count()) > 0) {
      await rows.first().click();
      await page.getByRole('dialog').waitFor();
    }
    await isHarmless(page);
    expect(errors).toEqual([]);
  });

  it('shows where a link leads whose words say something else, and isolates the direction of names', async () => {
    const { page } = eyes;
    await page.goto('/app/conversations/dm:mal');
    const body = page.getByRole('log').locator('p', { hasText: 'bank.example' });
    await body.waitFor();
    expect(await body.textContent()).toBe('https://bank.example (evil.example) and https://example.com/a');
    await page.goto('/app/objectives');
    const title = page.locator('span', { hasText: 'eltit' }).last();
    await title.waitFor();
    const direction = await title.evaluate(
      (element) => element.ownerDocument.defaultView?.getComputedStyle(element).unicodeBidi,
    );
    expect(direction).toBe('plaintext');
  });

  it('is shown letter by letter instead of as markup', async () => {
    const { page } = eyes;
    await page.goto('/app/conversations/general');
    const log = page.getByRole('log');
    await log.getByRole('article').first().waitFor();
    await log.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await log.getByText('nested', { exact: true }).waitFor();
    await log.evaluate((element) => element.scrollTo(0, 0));
    await log.getByText('<script>window.ran = 1; alert(1)</script>').first().waitFor();
    await log.getByText('javascript:window.ran=1', { exact: false }).first().waitFor({ state: 'attached' });
    await isHarmless(page);
  });
});
