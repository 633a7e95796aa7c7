/** A team whose day has left something on every screen of the console. */
import { randomUUID } from 'node:crypto';
import { exchange, http, opened } from '../../../broker/features/activity/testing/activity-team.ts';
import type { TestBroker } from '../../../broker/testing/test-broker.ts';
import { picture } from './picture.ts';

export const demoMembers = {
  ada: ['admin'],
  ben: ['operator'],
  kim: [],
  lin: [],
  rui: ['observer'],
  tug: [],
} as const;

async function enroll(team: TestBroker, labelHint: string): Promise<string> {
  const reply = await team.fetch(null, '/enroll', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'muster/0.1.0 (linux; arm64)' },
    body: JSON.stringify({ labelHint }),
  });
  return ((await reply.json()) as { userCode: string }).userCode;
}

type Content = string | Uint8Array<ArrayBuffer>;

async function write(team: TestBroker, path: string, mime: string, body: Content): Promise<void> {
  const query = new URLSearchParams({ path, mime, collide: 'overwrite' });
  const reply = await team.fetch('ada', `/fs/write?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body,
  });
  if (!reply.ok) throw new Error(await reply.text());
}

/** The content of the screens, with the ids that their addresses need. */
export interface Demo {
  activeId: string;
  channel: string;
  /** The channel with messages of every look. */
  workshop: string;
  /** An objective that is done, with its evidence and the work on it. */
  doneId: string;
  /** Of a device that is waiting. */
  userCode: string;
  /** Lets the agent run, or its run go on, because a run that is not renewed lapses. */
  keepRunning(): Promise<unknown>;
}

/** For the names of the screens only. */
export const noDemo: Demo = {
  ...{ activeId: '', channel: '', workshop: '', doneId: '', userCode: '' },
  keepRunning: () => Promise.resolve(),
};

export async function fillTeam(team: TestBroker): Promise<Demo> {
  const [ada, ben, kim] = [team.as('ada'), team.as('ben'), team.as('kim')];
  await ada.call('updateTeam', {
    body: {
      name: 'Harbour',
      directive: 'Ship a harbour map that pilots trust',
      brief: 'Soundings come from the survey boat every Monday.\nAsk ben before anything is published.',
    },
  });
  for (const [name, title] of Object.entries({
    ada: 'Harbour master',
    ben: 'Publisher',
    kim: 'Cartographer',
    lin: 'Tide analyst',
    rui: 'Observer',
    tug: 'Chart robot',
  }))
    await ada.call('updateMember', { params: { name }, body: { role: { title, description: '' } } });
  const objective = (title: string, outcome: string, assignee: string, watchers: string[] = []) =>
    ada.call('createObjective', { body: { title, outcome, assignee, body: '', watchers } });
  const active = await objective(
    'Draw the east breakwater',
    'The breakwater is on the map, checked against the survey of May',
    'kim',
    ['ben'],
  );
  const blocked = await objective('Check the tide tables', 'Every table has a source and a date', 'lin');
  await objective('Answer the pilots', 'Each of the nine letters has a reply', 'ada');
  await write(team, '/ada/survey.txt', 'text/plain', 'depth 4.2\ndepth 4.4\n');
  const done = await ada.call('createObjective', {
    body: {
      title: 'Collect the old charts',
      outcome: 'All charts since 1950 are scanned',
      assignee: 'ben',
      body: '',
      watchers: [],
      attachments: ['/ada/survey.txt'],
    },
  });
  await ben.call('uploadActivity', {
    params: { name: 'ben' },
    body: { events: [opened(Date.now(), done.id), exchange(Date.now())] as never },
  });
  const dropped = await objective('Model the silt', 'A forecast for five years', 'rui');
  await team.as('lin').call('updateObjective', {
    params: { id: blocked.id },
    body: {
      status: 'blocked',
      blockReason: 'The tables of 2019 are missing; ben has the key to the archive',
    },
  });
  await ben.call('completeObjective', {
    params: { id: done.id },
    body: { result: 'Scanned: **212** charts' },
  });
  await ada.call('cancelObjective', { params: { id: dropped.id }, body: { reason: 'No budget this year' } });
  await kim.call('discussObjective', {
    params: { id: active.id },
    body: { body: 'Half of it is drawn.', attachments: [] },
  });
  const channel = await ada.call('createChannel', { body: { slug: 'soundings' } });
  await ada.call('createChannel', { body: { slug: 'printing' } });
  await ada.call('createChannel', { body: { slug: 'outer-harbor-and-approaches' } });
  await ada.call('joinChannel', { params: { slug: 'soundings' }, body: { member: 'ben' } });
  await ada.call('push', { body: { to: null, body: 'Morning. The boat leaves at **nine**.' } });
  await ben.call('push', {
    body: {
      to: null,
      body: 'Two things:\n\n1. the tables are in `archive/2019`\n2. @ada, who signs?\n\n```\nmake chart SHEET=4\n```\n\n> quoted from the harbour office\n\n| sheet | state |\n|---|---|\n| 4 | drawn |\n\nSee https://example.org/charts',
    },
  });
  await ben.call('push', {
    body: { to: null, level: 'warning', title: 'Wind', body: 'Gusts from the **west** after noon.' },
  });
  await ben.call('push', { body: { to: 'ada', body: 'Can you look at sheet 4?' } });
  await ben.call('push', {
    body: { to: null, body: 'First soundings are in.', data: { thread: `chan:${channel.id}` } },
  });
  await write(
    team,
    '/ada/notes/tides.md',
    'text/markdown',
    '# Tides\n\nHigh water at **six**.\n\n- sheet 4\n- sheet 5\n',
  );
  await write(team, '/ada/pins.json', 'application/json', '{"pins":[{"x":1,"y":2}]}');
  await ada.call('push', { body: { to: 'ben', body: 'Here it is.', attachments: ['/ada/survey.txt'] } });
  await write(team, '/ada/charts/depth.ts', 'text/plain', code);
  await write(team, '/ada/charts/depth.patch', 'text/plain', diff);
  await write(team, '/ada/charts/harbor.png', 'image/png', picture(900, 500));
  const longName = 'soundings-of-the-outer-harbor-and-the-eastern-approaches.csv';
  await write(team, `/ada/${longName}`, 'text/csv', 'sheet,depth\n4,4.2\n');
  await write(team, '/ada/charts/plan.pdf', 'application/pdf', '%PDF-1.7');
  const now = Date.now();
  const turns = Array.from({ length: 12 }, (_, n) =>
    exchange(now - (11 - n) * 400_000, {
      model: 'claude-sonnet',
      request: {
        system: 'You draw harbour maps.',
        messages: [{ role: 'user', content: [{ type: 'text', text: `Draw part ${n}` }] }],
        tools: [{ name: 'draw_line' }],
        maxTokens: 1000,
        temperature: null,
      },
      response: {
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'text', text: `Part ${n} is drawn.` },
              { type: 'tool_use', name: 'draw_line', input: { from: [0, n], to: [4, n] } },
            ],
          },
        ],
        stopReason: 'tool_use',
        status: null,
        usage: {
          inputTokens: 4200 + n,
          outputTokens: 310,
          cacheReadInputTokens: 900,
          cacheCreationInputTokens: 0,
        },
      },
    }),
  );
  await kim.call('uploadActivity', {
    params: { name: 'kim' },
    body: { events: [opened(now - 6_000_000, active.id), ...turns, http(now - 100)] as never },
  });
  await enroll(team, 'laptop of kim');
  const userCode = await enroll(team, 'build machine');
  await ada.call('rejectEnrollment', {
    body: { userCode: await enroll(team, 'unknown phone'), reason: 'nobody knows it' },
  });
  return {
    ...{ activeId: active.id, channel: channel.id, doneId: done.id, userCode },
    workshop: await fillWorkshop(team),
    keepRunning: await fillAgent(team),
  };
}

const code =
  "import { depthAt } from './survey.ts';\n\n/** In fathoms. */\nexport const depth = depthAt(4) + 0.2;\n";
const diff = '--- a/depth.ts\n+++ b/depth.ts\n@@ -1,3 +1,3 @@\n import\n-depth 4.2\n+depth 4.4\n end\n';

/** Leaves a message of every look in a channel, and returns its id. */
async function fillWorkshop(team: TestBroker): Promise<string> {
  const [ada, lin] = [team.as('ada'), team.as('lin')];
  const { id } = await ada.call('createChannel', { body: { slug: 'workshop' } });
  await ada.call('joinChannel', { params: { slug: 'workshop' }, body: { member: 'lin' } });
  const data = { thread: `chan:${id}` };
  const say = async (
    who: typeof ada,
    body: string,
    more: { inReplyTo?: string; attachments?: string[] } = {},
  ) => (await who.call('push', { body: { to: null, body, data, ...more } })).message.id;
  await say(lin, `Ask @ada or @kim, or read #soundings.\n\n\`\`\`ts\n${code}\`\`\``);
  await say(lin, `I would change this:\n\n\`\`\`diff\n${diff}\`\`\``);
  const question = await say(lin, 'Where is the picture of the harbor?');
  await say(ada, 'Both are here.', {
    inReplyTo: question,
    attachments: ['/ada/charts/harbor.png', '/ada/notes/tides.md'],
  });
  const edited = await say(ada, 'The boat leaves at six.');
  await ada.call('editMessage', { params: { id: edited }, body: { body: 'The boat leaves at seven.' } });
  await ada.call('deleteMessage', { params: { id: await say(ada, 'A mistake.') } });
  await lin.call('push', { body: { to: 'ada', body: 'The tables of 2019 are here.' } });
  return id;
}

/** Leaves work of an agent, with a request that failed. */
async function fillAgent(team: TestBroker): Promise<Demo['keepRunning']> {
  const tug = team.as('tug');
  const now = Date.now();
  const edit = { file_path: 'src/depth.ts', old_string: 'depth 4.2', new_string: 'depth 4.4' };
  const response = {
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I correct the depth of sheet 4.' },
          { type: 'tool_use', name: 'Edit', input: edit },
        ],
      },
    ],
    stopReason: 'tool_use',
    status: 200,
    usage: { inputTokens: 900, outputTokens: 80, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  };
  await tug.call('uploadActivity', {
    params: { name: 'tug' },
    body: {
      events: [
        exchange(now - 9000, { response }),
        http(now - 5000, 'no such chart', { host: 'charts.example', status: 500 }),
      ] as never,
    },
  });
  await team.as('ada').call('createObjective', {
    body: {
      title: 'Correct the depths of the outer harbor and the eastern approaches',
      outcome: 'Every depth is from May',
      assignee: 'tug',
      body: '',
    },
  });
  await team.stream('tug');
  const body = {
    runId: randomUUID(),
    host: 'build-machine-of-the-harbor-office.example',
    agent: 'Claude Code 2',
  };
  const keepRunning = () => tug.call('takeRun', { body });
  await keepRunning();
  return keepRunning;
}

/** Ada's arrangement of the list of conversations in this browser, as an expression for the page. */
export const arrangeConversations = `(() => {
  const arranged = { muted: ['dm:rui'], favorites: ['dm:kim'], collapsed: ['Channels'] };
  localStorage.setItem('muster.conversations.ada', JSON.stringify(arranged));
  dispatchEvent(new Event('storage'));
})()`;
