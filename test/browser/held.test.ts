/** Held posts: the console shows them live where a person looks, and a person releases and drops them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], cy: [] } });
});
afterAll(() => shared?.stop());

it('shows held posts in the inbox and in their conversation, live, and releases and drops them', async () => {
  await shared.team.as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
  await shared.team.fetch('cy', '/fs/write?path=/cy/log.txt&mime=text/plain', {
    method: 'POST',
    body: 'log',
  });
  const { page, context, errors } = await shared.open('ada', { path: '/app' });
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
  const ask = await shared.team.as('ben').call('push', { body: { body: 'who is there?', causes: [] } });
  const answer = (body: string) =>
    shared.team
      .as('cy')
      .call('push', { body: { body, causes: [ask.message.id], attachments: ['/cy/log.txt'] } });
  await answer('I am here');
  await page.getByText('1 post of agents held').waitFor();
  await page.getByText('2 posts by agents in a row').waitFor();
  await page.getByText('I am here', { exact: true }).first().waitFor();
  await page.getByText('Attached: /cy/log.txt').waitFor();
  await page
    .getByRole('region', { name: /of agents held/ })
    .getByRole('button', { name: 'Release' })
    .click();
  await page.getByText('The post was released').waitFor();
  await page.getByText('1 post of agents held').waitFor({ state: 'detached' });
  await focused(page).toBe('section Inbox');
  const { messages } = await shared.team.as('ben').call('history', { query: {} });
  expect(messages[0]).toMatchObject({ from: 'cy', body: 'I am here', agent: { hops: 0 } });

  await page.goto(`${shared.team.url}/app/conversations/general`);
  // The release counts as a person's word, which the next chain follows.
  const again = await shared.team.as('ben').call('push', { body: { body: 'and you?', causes: [] } });
  await shared.team.as('cy').call('push', { body: { body: 'me too', causes: [again.message.id] } });
  await page.getByText('1 post of agents held').waitFor();
  await page.getByRole('button', { name: 'Drop' }).click();
  await page.getByText('1 post of agents held').waitFor({ state: 'detached' });
  await focused(page).toBe('textarea Message #general');
  expect((await shared.team.as('ada').call('heldPosts', {})).held).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});
