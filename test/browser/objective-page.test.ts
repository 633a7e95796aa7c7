/** The page of an objective: its state, its one timeline, its properties, and what was observed of the work on it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { cutContent } from './testing/cut-content.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], kim: [], lin: [] } });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const properties = (page: Page) => page.getByRole('complementary', { name: 'Properties' });
const create = async (over: { title: string; watchers?: string[]; outcome?: string }) => {
  const body = { outcome: 'A map', assignee: 'ben', body: '', ...over };
  return (await as('ada').call('createObjective', { body })).id;
};
const block = (id: string, blockReason: string) =>
  as('ben').call('updateObjective', { params: { id }, body: { status: 'blocked', blockReason } });

/** An exchange in which the model says `text` and uses `tokens`. */
const says = (text: string, tokens: number) =>
  exchange(Date.now(), {
    response: {
      messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
      stopReason: 'end_turn',
      status: null,
      usage: {
        inputTokens: tokens,
        outputTokens: 0,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: null,
      },
    },
  });
const upload = (name: string, events: object[]) =>
  as(name).call('uploadActivity', { params: { name }, body: { events: events as never } });
const rowsOf = async (name: string, objective: string) =>
  (await as('ada').call('activityRange', { params: { name }, query: { objective } })).activity.length;

describe('the page of an objective', () => {
  it('shows the result, the files, and the work and the tokens that were recorded while a member had it', async () => {
    await shared.team.fetch('ada', '/fs/write?path=/ada/survey.md', { method: 'POST', body: '# Survey' });
    const { id } = await as('ada').call('createObjective', {
      body: {
        title: 'Draw the coast',
        outcome: 'A map',
        assignee: 'ben',
        body: '',
        attachments: ['/ada/survey.md'],
      },
    });
    // The marker of the assignment is stored a moment later.
    await expect.poll(() => rowsOf('ben', id)).toBe(1);
    await upload('ben', [says('I measure the cape', 1200), says('I draw the cape', 800)]);
    await as('ada').call('reassignObjective', { params: { id }, body: { to: 'kim' } });
    await expect.poll(() => rowsOf('kim', id)).toBe(1);
    await upload('ben', [says('I do something else', 5000)]);
    await as('kim').call('completeObjective', { params: { id }, body: { result: 'Merged as 4f2c' } });

    const { page, context, errors } = await shared.open('ada', { path: `/app/objectives/${id}` });
    await part(page, 'State').getByText('Merged as 4f2c').waitFor();
    await properties(page).getByRole('link', { name: '/ada/survey.md' }).waitFor();
    await properties(page).getByText('2k', { exact: true }).waitFor();
    const ben = part(page, 'Work').getByRole('listitem').filter({ hasText: 'I measure the cape' }).first();
    await ben.getByText('I draw the cape', { exact: true }).waitFor();
    await ben.getByText(/^1\.2k tokens · /i).waitFor();
    await ben.getByText('2 recorded model requests used 2k tokens.').waitFor();
    await ben.getByText(/On the days when ben had this objective, ben used 7k tokens in total/i).waitFor();
    expect(await part(page, 'Work').getByText('I do something else').count()).toBe(0);
    await part(page, 'Work').getByText('No model request of kim was recorded.').waitFor();
    await ben.getByRole('link', { name: 'Activity of ben for this objective' }).click();
    await page.getByRole('link', { name: /I draw the cape/ }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('says that the work of others is not shown to a member who may not see it', async () => {
    const { id } = await as('ada').call('createObjective', {
      body: { title: 'Draw the reef', outcome: 'A map', assignee: 'ben', body: '' },
    });
    const { page, context, errors } = await shared.open('lin', { path: `/app/objectives/${id}` });
    await part(page, 'Work')
      .getByText('Only members who may see the activity of every agent see the work of ben.')
      .waitFor();
    expect(await page.getByText('activity.read').count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('says its state in words, with the reason and the result in Markdown', async () => {
    const id = await create({ title: 'Sound the strait', outcome: 'Depths of the **whole** strait' });
    const { page, context, errors } = await shared.open('ada', { path: `/app/objectives/${id}` });
    const state = part(page, 'State');
    await state.getByText('Active, assigned to ben').waitFor();
    await part(page, 'Desired outcome').locator('strong', { hasText: 'whole' }).waitFor();
    await block(id, 'The **boat** leaks');
    await state.getByText('Blocked by ben').waitFor();
    await state.locator('strong', { hasText: 'boat' }).waitFor();
    await as('ben').call('completeObjective', { params: { id }, body: { result: 'See `sheet 4`' } });
    await state.getByText('Done by ben').waitFor();
    await state.locator('code', { hasText: 'sheet 4' }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('has one timeline of events and posts, with the texts of the events in Markdown', async () => {
    const id = await create({ title: 'Sound the sound', watchers: ['lin'] });
    await block(id, 'No **boat**');
    await as('lin').call('discussObjective', { params: { id }, body: { body: 'Take mine' } });
    await as('ada').call('reassignObjective', {
      params: { id },
      body: { to: 'kim', note: 'kim has _time_' },
    });
    const { page, context } = await shared.open('ada', { path: `/app/objectives/${id}` });
    const timeline = part(page, 'Timeline');
    await timeline.getByText('Take mine').waitFor();
    const entries = await timeline.getByRole('article').allTextContents();
    const wanted = [
      'ada created it and assigned it to ben',
      'ben blocked it',
      'Take mine',
      'ada reassigned it from ben to kim',
    ];
    for (const [at, text] of wanted.entries()) expect(entries[at]).toContain(text);
    await timeline.locator('strong', { hasText: 'boat' }).waitFor();
    await timeline.locator('em', { hasText: 'time' }).waitFor();
    expect(await page.getByText('ben blocked it').count()).toBe(1);
    await timeline.getByLabel('Message the thread').fill('Thank you');
    await page.keyboard.press('Enter');
    await timeline.getByText('Thank you').waitFor();
    await context.close();
  });

  it('gives the height that is left to the timeline, and keeps the composer on the screen', async () => {
    const id = await create({ title: 'Sound the deep' });
    const { page, context } = await shared.open('ada', { path: `/app/objectives/${id}`, height: 1100 });
    const heightOf = async () => (await page.getByRole('log').boundingBox())?.height ?? 0;
    const composer = page.getByLabel('Message the thread');
    const isShown = async () => {
      const box = await composer.boundingBox();
      return box !== null && box.y + box.height <= (page.viewportSize()?.height ?? 0);
    };
    await composer.waitFor();
    const high = await heightOf();
    expect(await isShown()).toBe(true);
    await page.setViewportSize({ width: 1280, height: 860 });
    await expect.poll(heightOf).toBe(high - 240);
    expect(await isShown()).toBe(true);
    await context.close();
  });

  it('shows its events, but no posts, to a member who may not read the thread', async () => {
    const id = await create({ title: 'Sound the ledge' });
    await block(id, 'No **lead**');
    await as('ada').call('discussObjective', { params: { id }, body: { body: 'Between us' } });
    const { page, context, errors } = await shared.open('lin', { path: `/app/objectives/${id}` });
    const timeline = part(page, 'Timeline');
    await timeline.getByText('ben blocked it').waitFor();
    await timeline.locator('strong', { hasText: 'lead' }).waitFor();
    await timeline.getByText('Only members of the thread read its posts', { exact: false }).waitFor();
    expect(await timeline.getByRole('log').count()).toBe(0);
    expect(await page.getByText('Between us').count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('has its members as links beside it, and its ID only behind its menu', async () => {
    const id = await create({ title: 'Sound the shelf', watchers: ['kim', 'lin'] });
    const { page, context } = await shared.open('ada', {
      path: `/app/objectives/${id}`,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    for (const name of ['ada', 'ben', 'kim', 'lin'])
      await properties(page).getByRole('link', { name, exact: true }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain(id);
    for (const [item, text] of [
      ['Copy link', `${shared.team.url}/app/objectives/${id}`],
      ['Copy ID', id],
    ] as const) {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(text);
    }
    await context.close();
  });

  it('has its timeline on a tab of its own on a phone, where one part scrolls at a time, with the work folded', async () => {
    const id = await create({ title: 'Sound the shoal', outcome: 'One depth per line.\n\n'.repeat(12) });
    const { page, context, errors } = await shared.open('ada', {
      path: `/app/objectives/${id}`,
      ...{ width: 360, height: 740, touch: true },
    });
    await part(page, 'Desired outcome').waitFor();
    const work = part(page, 'Work');
    expect(await work.getByText('Activity of ben for this objective').isVisible()).toBe(false);
    await work.getByText('Work', { exact: true }).click();
    await work.getByText('Activity of ben for this objective').waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    const log = page.getByRole('log');
    await log.waitFor();
    const scrollable = await log.evaluate((element) => {
      const found: string[] = [];
      for (let above = element.parentElement; above !== null; above = above.parentElement)
        if (above.scrollHeight > above.clientHeight + 1) found.push(above.ariaLabel ?? above.tagName);
      return found;
    });
    expect(scrollable).toEqual([]);
    const composer = page.getByLabel('Message the thread');
    await composer.click();
    await composer.fill('From the boat');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('log').getByText('From the boat').waitFor();
    await expect.poll(() => cutContent(page)).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe.each([1280, 360])('the head of an objective at %i px', (width) => {
  const openAs = (name: string, id: string) => shared.open(name, { path: `/app/objectives/${id}`, width });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('says that a healthy objective of somebody else needs nothing, and keeps Block in the menu', async () => {
    const id = await create({ title: `Sound the cove ${width}` });
    const { page, context, errors } = await openAs('ada', id);
    const state = part(page, 'State');
    await state.getByText('It needs nothing from you now.').waitFor();
    if (width === 360) {
      const [head, tabs] = [await state.boundingBox(), await page.getByRole('tablist').boundingBox()];
      expect((head?.y ?? 0) + (head?.height ?? 0)).toBeLessThanOrEqual(tabs?.y ?? 0);
      await page.getByRole('tab', { name: 'Timeline' }).click();
      expect(await page.getByRole('link', { name: 'All objectives' }).isVisible()).toBe(true);
      await page.getByRole('tab', { name: 'Objective' }).click();
    }
    expect(await button(page, 'Block').count()).toBe(0);
    await page.locator('[data-act="more"]').click();
    await page.getByRole('menuitem', { name: 'Block objective' }).click();
    await page.getByLabel('What is missing, and from whom?').fill('A boat');
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await state.getByText('It waits for you: answer in its thread, or unblock it.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('More');
    await button(page, 'Unblock').press('Enter');
    await state.getByText('It needs nothing from you now.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('More');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('leads from Answer to the text field of the thread', async () => {
    const id = await create({ title: `Sound the inlet ${width}` });
    await as('ben').call('updateObjective', {
      params: { id },
      body: { status: 'blocked', blockReason: 'No boat' },
    });
    const { page, context, errors } = await openAs('ada', id);
    const field = page.getByRole('textbox', { name: 'Message the thread' });
    const isFocused = () => field.evaluate((one) => one.matches(':focus'));
    for (const text of ['Take mine', 'Or the dinghy']) {
      await button(page, 'Answer').click();
      await expect.poll(isFocused).toBe(true);
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.getByRole('log').getByText(text).waitFor();
      if (width === 360) await page.getByRole('tab', { name: 'Objective' }).click();
    }
    await page.goto(`/app/objectives?peek=${id}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Answer' }).click();
    await page.getByRole('log').getByText('Or the dinghy').waitFor();
    await expect.poll(isFocused).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('gives the focus back to the menu, although the news of the block come before its answer', async () => {
    const id = await create({ title: `Sound the strait ${width}` });
    const { page, context, errors } = await openAs('ada', id);
    // The dialog hides the page from a search by role.
    const blocked = page.getByText('It waits for you: answer in its thread, or unblock it.');
    await page.route(`**/objectives/${id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      const response = await route.fetch();
      await blocked.waitFor();
      return route.fulfill({ response });
    });
    await page.locator('[data-act="more"]').click();
    await page.getByRole('menuitem', { name: 'Block objective' }).click();
    await page.getByLabel('What is missing, and from whom?').fill('A boat');
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('More');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('asks to clear a result from the inbox', async () => {
    const id = await create({ title: `Sound the creek ${width}` });
    await as('ben').call('completeObjective', { params: { id }, body: { result: 'See sheet 4' } });
    const { page, context, errors } = await openAs('ada', id);
    const state = part(page, 'State');
    await state
      .getByText('ben completed it for you: read the result, then clear it from your inbox.')
      .waitFor();
    await button(page, 'Clear from inbox').press('Enter');
    await state.getByText('It needs nothing from you now.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('More');
    const ids = async () =>
      (await as('ada').call('inbox', {})).items.map(({ place }) => 'id' in place && place.id);
    await expect.poll(ids).not.toContain(id);
    await button(page, 'Undo').click();
    await button(page, 'Clear from inbox').waitFor();
    await expect.poll(ids).toContain(id);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('tells the assignee what to do, and a member without a part in it that nothing is needed', async () => {
    const id = await create({ title: `Sound the lagoon ${width}` });
    const ben = await openAs('ben', id);
    await part(ben.page, 'State')
      .getByText('It is yours: complete it when the outcome is achieved.')
      .waitFor();
    await button(ben.page, 'Block').waitFor();
    await ben.context.close();
    await block(id, 'No boat');
    const lin = await openAs('lin', id);
    const words = () => part(lin.page, 'State').locator('p').first().textContent();
    await expect.poll(words).toMatch(/Blocked by ben [^,]*$/);
    await as('ada').call('reassignObjective', { params: { id }, body: { to: 'kim' } });
    if (width === 360) await expect.poll(words).toContain('Blocked by ben, assigned to kim');
    await part(lin.page, 'State').getByText('It needs nothing from you now.').waitFor();
    await lin.page.getByText('No boat').first().waitFor();
    await lin.context.close();
  });
});
