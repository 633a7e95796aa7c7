/** Every screen of the console, as the team of `demo-team.ts` left it. */
import type { Locator, Page } from 'playwright-core';
import { arrangeConversations, type Demo, noDemo } from './demo-team.ts';

export interface Screen {
  name: string;
  path: string;
  /** Resolves when the screen is there. */
  ready: (page: Page) => Promise<unknown>;
}

/** The approval page is a dialog as well, and stays. */
const openLayer = (page: Page) =>
  page.locator('[role=dialog], [role=menu], [role=alertdialog]:not(main *)').first();

const scrollAgainMs = 500;

/**
 * Scrolls to `place`, where `picture` is loaded only after it has been on the screen. A log that is still moving to
 * the place where it opens may scroll away again, so this is repeated.
 */
async function seen(place: Locator, picture: Locator): Promise<void> {
  const isShown = () =>
    picture.waitFor({ timeout: scrollAgainMs }).then(
      () => true,
      () => false,
    );
  for (let tries = 1; tries < 60; tries++) {
    await place.scrollIntoViewIfNeeded();
    if (await isShown()) return;
  }
  await picture.waitFor({ timeout: scrollAgainMs });
}

/** Navigates within the app, as links do; addresses outside of it are loaded. */
export async function visitScreen(page: Page, { path, ready }: Screen): Promise<void> {
  const isInside = path.startsWith('/app') && (await page.getByRole('main').count()) > 0;
  if (isInside && new URL(page.url()).pathname.startsWith('/app')) {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    // A secret that is shown once is closed by a button only.
    const secret = page.getByRole('dialog').filter({ hasText: 'Scan the code with' });
    if ((await secret.count()) > 0) await secret.getByRole('button', { name: 'Close' }).click();
    // A layer that is closing still takes keys, and may still change the address.
    await openLayer(page).waitFor({ state: 'detached' });
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  } else await page.goto(path);
  // A pointer that rests on a control would open its tooltip.
  await page.mouse.move(0, 0);
  await ready(page);
}

export function screensOf(demo: Demo): Screen[] {
  const { activeId, channel, workshop, doneId, userCode } = demo;
  const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const text = (words: string) => (page: Page) => page.getByText(words, { exact: false }).first().waitFor();
  const dialog = (name: string) => (page: Page) => page.getByRole('dialog', { name }).waitFor();
  const rejected = (page: Page) => page.getByRole('button', { name: /^ada rejected the device/ }).waitFor();
  const press = (role: 'button' | 'link' | 'tab' | 'menuitem', name: string | RegExp) => (page: Page) =>
    page.getByRole(role, { name }).first().click();
  const all =
    (...steps: ((page: Page) => Promise<unknown>)[]) =>
    async (page: Page) => {
      for (const step of steps) await step(page);
    };
  const picked = (box: string) => (page: Page) => page.getByRole('checkbox', { name: box }).check();
  const inSight = (words: string) => (page: Page) =>
    page.getByRole('log').getByText(words).first().scrollIntoViewIfNeeded();
  /** On a phone, a button opens the list. */
  const listed = async (page: Page) => {
    const way = page.getByRole('button', { name: 'All conversations' });
    if (await way.isVisible()) await way.click();
  };
  /** On a narrow screen, it is the second tab. */
  const timeline = (words: string) => async (page: Page) => {
    const tab = page.getByRole('tab', { name: 'Timeline' });
    await page.getByRole('region', { name: 'Desired outcome' }).or(tab).first().waitFor();
    if (await tab.isVisible()) await tab.click();
    await page.getByText(words).first().waitFor();
  };
  const thumbnail = async (page: Page) => {
    const log = page.getByRole('log');
    await seen(log.getByRole('link', { name: 'harbor.png' }).first(), log.locator('a img').first());
  };
  const running = async (page: Page) => {
    await demo.keepRunning();
    await page.getByText('build-machine-of-the-harbor-office').first().waitFor({ state: 'attached' });
  };
  const workshopPath = `/app/conversations/chan:${workshop}`;
  const fileIn = (name: string, ready: Screen['ready']): Screen => ({
    name: `file-${name.slice(name.indexOf('.') + 1)}`,
    path: `/app/files?path=/ada/charts&file=/ada/charts/${name}`,
    ready: all(dialog(name), ready),
  });
  return [
    {
      name: 'home',
      path: '/app',
      ready: all(text('Check the tide tables'), text('Since you were here')),
    },
    {
      name: 'inbox-objective',
      path: '/app',
      ready: all(press('link', /^Blocked: Check the tide/), (page) => page.getByRole('log').waitFor()),
    },
    {
      name: 'inbox-device',
      path: '/app',
      ready: all(press('link', /build machine is waiting/), text('Approve device')),
    },
    { name: 'conversation', path: '/app/conversations/general', ready: text('Gusts from the') },
    {
      name: 'conversation-direct',
      path: '/app/conversations/dm:ben',
      ready: text('Can you look at sheet 4?'),
    },
    {
      name: 'receipts',
      path: '/app/conversations/dm:ben',
      ready: all(text('Here it is.'), press('button', 'Show receipts'), (page) =>
        page.getByRole('dialog', { name: 'Receipts' }).getByText('ben').waitFor(),
      ),
    },
    { name: 'conversation-empty', path: '/app/conversations/dm:rui', ready: text('No messages yet') },
    {
      name: 'conversation-channel',
      path: `/app/conversations/chan:${channel}`,
      ready: text('First soundings'),
    },
    {
      name: 'conversation-list',
      path: '/app/conversations/dm:rui',
      ready: all(
        text('No messages yet'),
        listed,
        (page) => page.evaluate(arrangeConversations),
        (page) =>
          page.getByRole('region', { name: 'Favorites' }).getByRole('link', { name: /^kim/ }).waitFor(),
      ),
    },
    {
      name: 'conversation-code',
      path: workshopPath,
      ready: all(text('I would change this'), inSight('I would change this'), (page) =>
        page.locator('[data-token="keyword"]').first().waitFor(),
      ),
    },
    {
      name: 'conversation-changes',
      path: workshopPath,
      ready: all(text('This message was deleted.'), thumbnail, inSight('This message was deleted.')),
    },
    {
      name: 'attachment',
      path: workshopPath,
      ready: all(thumbnail, press('link', 'tides.md'), dialog('tides.md'), text('High water at')),
    },
    { name: 'search', path: '/app/conversations/general?search=sheet', ready: text('Can you look at') },
    { name: 'objectives', path: '/app/objectives', ready: text('Answer the pilots') },
    {
      name: 'objectives-board',
      path: '/app/objectives?view=board',
      ready: (page) =>
        page.getByRole('region', { name: 'done' }).getByText('Collect the old charts').waitFor(),
    },
    { name: 'objectives-grouped', path: '/app/objectives?group=status', ready: text('Answer the pilots') },
    {
      name: 'objectives-selected',
      path: '/app/objectives',
      ready: all(text('Answer the pilots'), picked('Select “Answer the pilots”'), text('1 selected')),
    },
    {
      name: 'objectives-reassign',
      path: '/app/objectives',
      ready: all(
        text('Answer the pilots'),
        picked('Select “Answer the pilots”'),
        press('button', 'Reassign'),
        dialog('Reassign 1 objective'),
      ),
    },
    {
      name: 'objectives-none',
      path: '/app/objectives?q=unlikely',
      ready: text('No objective matches the filter'),
    },
    { name: 'objective-create', path: '/app/objectives?create=true', ready: dialog('New objective') },
    {
      name: 'objective-peek',
      path: `/app/objectives?peek=${activeId}`,
      ready: dialog('Draw the east breakwater'),
    },
    { name: 'objective', path: `/app/objectives/${activeId}`, ready: timeline('Half of it is drawn.') },
    {
      name: 'objective-done',
      path: `/app/objectives/${doneId}`,
      ready: async (page) => {
        await page.getByRole('link', { name: '/ada/survey.txt' }).waitFor();
        // On a phone, the work is folded.
        await page.getByText('recorded model request').first().waitFor({ state: 'attached' });
      },
    },
    {
      name: 'objective-block',
      path: `/app/objectives/${activeId}`,
      ready: all(
        timeline('Half of it is drawn.'),
        press('button', 'More'),
        press('menuitem', 'Block objective'),
        dialog('Block objective'),
      ),
    },
    {
      name: 'objective-menu',
      path: `/app/objectives/${activeId}`,
      ready: all(timeline('Half of it is drawn.'), press('button', 'More'), (page) =>
        page.getByRole('menuitem', { name: 'Reassign' }).waitFor(),
      ),
    },
    {
      name: 'people',
      path: '/app/admin/people',
      ready: (page) => page.getByRole('link', { name: /^rui/ }).waitFor(),
    },
    { name: 'member-create', path: '/app/admin/people?create=true', ready: dialog('New member') },
    { name: 'member', path: '/app/admin/people?member=kim', ready: text('Primary token') },
    {
      name: 'member-delete',
      path: '/app/admin/people?member=kim',
      ready: all(press('button', 'Delete kim'), (page) => page.getByRole('alertdialog').waitFor()),
    },
    {
      name: 'member-totp',
      path: '/app/admin/people?member=kim',
      ready: all(
        press('button', /^(Enroll an|Replace the) authenticator/),
        press('button', 'Create a new secret'),
        text('Scan the code with'),
      ),
    },
    { name: 'audit', path: '/app/admin/audit', ready: rejected },
    {
      name: 'audit-record',
      path: '/app/admin/audit',
      ready: all(rejected, press('button', /^The audit log began/), text('SHA-256')),
    },
    {
      name: 'machines',
      path: '/app/admin/machines',
      ready: all(text('laptop of kim'), text('nobody knows it')),
    },
    {
      name: 'device-approve',
      path: '/app/admin/machines',
      ready: all(press('button', 'Approve…'), dialog('Approve')),
    },
    {
      name: 'approval',
      path: `/app/approve?code=${userCode}`,
      ready: text('Approve device'),
    },
    {
      name: 'channels',
      path: '/app/channels',
      ready: (page) =>
        page.getByRole('dialog', { name: 'Channels' }).getByText('soundings').first().waitFor(),
    },
    {
      name: 'channel',
      path: `/app/channels?channel=${channel}`,
      ready: all(dialog('#soundings'), text('Add a member')),
    },
    { name: 'channel-create', path: '/app/channels?create=true', ready: dialog('New channel') },
    {
      name: 'device-reject',
      path: '/app/admin/machines',
      ready: all(press('button', 'Reject…'), dialog('Reject')),
    },
    {
      name: 'folder-create',
      path: '/app/files',
      ready: all(text('pins.json'), press('button', 'New folder'), dialog('New folder')),
    },
    { name: 'files', path: '/app/files', ready: text('pins.json') },
    {
      name: 'file',
      path: '/app/files?path=/ada/notes&file=/ada/notes/tides.md',
      ready: text('High water at'),
    },
    { name: 'folder', path: '/app/files?path=/ada', ready: all(text('charts'), text('pins.json')) },
    {
      name: 'folder-delete',
      path: '/app/files?path=/ada',
      ready: all(press('button', 'Delete the folder charts'), text('4 files')),
    },
    fileIn('depth.ts', (page) => page.locator('[role=dialog] [data-token="keyword"]').first().waitFor()),
    fileIn('depth.patch', (page) => page.getByRole('dialog').getByRole('insertion').waitFor()),
    fileIn('harbor.png', (page) => page.getByRole('img', { name: 'harbor.png' }).waitFor()),
    fileIn('plan.pdf', text('A PDF is not shown')),
    {
      name: 'select',
      path: '/app/objectives?create=true',
      ready: all(
        dialog('New objective'),
        (page) => page.getByRole('dialog').getByRole('combobox', { name: 'Assignee' }).click(),
        (page) => page.getByRole('group', { name: 'Agents' }).waitFor(),
      ),
    },
    { name: 'files-shared', path: '/app/files?shared=true', ready: text('No shared files') },
    { name: 'activity', path: '/app/activity?member=kim', ready: text('Part 3 is drawn.') },
    {
      name: 'exchange',
      path: '/app/activity?member=kim&kind=llm_exchange',
      ready: all(
        // The rows of the previous choice disappear with it, so none of them is clicked meanwhile.
        (page) => page.getByRole('combobox', { name: 'Kind' }).filter({ hasText: 'model request' }).waitFor(),
        press('link', /Part 3 is drawn/),
        dialog('model request of kim'),
      ),
    },
    { name: 'activity-team', path: '/app/activity', ready: text('request failed') },
    { name: 'agents', path: '/app/agents', ready: all(text('Run an agent'), running) },
    {
      name: 'agent-run',
      path: '/app/agents',
      ready: all(press('button', 'Run an agent'), dialog('Run an agent')),
    },
    {
      name: 'agent-stop',
      path: '/app/agents?agent=tug',
      ready: all(running, press('button', 'Stop tug'), (page) => page.getByRole('alertdialog').waitFor()),
    },
    {
      name: 'transcript',
      path: '/app/agents?agent=tug',
      ready: (page) =>
        page.getByRole('region', { name: 'Transcript of tug' }).getByText('I correct the depth').waitFor(),
    },
    { name: 'team', path: '/app/admin/team', ready: text('Permission presets') },
    { name: 'me-notifications', path: '/app/me?part=notifications', ready: text('his browser') },
    {
      name: 'admin',
      path: '/app/admin',
      // On a wide screen, it is the first part.
      ready: (page) => page.getByRole('heading', { name: /^(Admin|People)$/, level: 1 }).waitFor(),
    },
    { name: 'network', path: '/app/admin/network', ready: text('A platform is a service') },
    { name: 'health', path: '/app/admin/health', ready: text('Event loop') },
    {
      name: 'backup',
      path: '/app/admin/backup',
      ready: all(text('No legal hold is set'), text('are in memory')),
    },
    { name: 'me', path: '/app/me?part=about', ready: text('telemetry preview') },
    {
      name: 'palette',
      path: '/app',
      ready: all(text('Check the tide tables'), press('button', 'Go to…'), dialog('Command palette')),
    },
    {
      name: 'palette-approve',
      path: '/app',
      ready: all(
        text('Check the tide tables'),
        (page) => page.keyboard.press('ControlOrMeta+k'),
        (page) => page.getByRole('combobox', { name: /^Search screens/ }).fill('approve'),
        (page) =>
          page
            .getByRole('option', { name: /^Approve / })
            .first()
            .waitFor(),
      ),
    },
    {
      name: 'shortcuts',
      path: '/app',
      ready: all(
        text('Check the tide tables'),
        (page) => page.keyboard.press('?'),
        dialog('Keyboard shortcuts'),
      ),
    },
    { name: 'enroll', path: '/enroll?code=BCDF-GHJK', ready: heading('A device wants to join') },
    { name: 'not-found', path: '/app/nowhere', ready: text('Page not found') },
  ];
}

export const screenNames: readonly string[] = screensOf(noDemo).map(({ name }) => name);
