/**
 * The answers of the demo's scripted model: a pure function of the conversation. A turn of it is a fixed list of steps,
 * chosen by what woke the agent.
 */

export type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; name: string; input: Record<string, unknown> };
type Step = readonly Block[];

export interface ModelMessage {
  role: 'user' | 'assistant';
  content: readonly { type: string; text?: string | undefined }[];
}

/** A message of the team, as the runner frames it for the model. */
interface Incoming {
  id: string;
  from: string;
  /** Epoch ms. */
  at: number;
  thread: string;
  objective: string;
  text: string;
}

const say = (text: string): Block => ({ type: 'text', text });
const use = (name: string, input: Record<string, unknown>): Block => ({ type: 'tool_use', name, input });

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

function incomingOf(text: string): Incoming[] {
  return [...text.matchAll(/<svc-message([^>]*)>\n([\s\S]*?)\n<\/svc-message>/g)].map(
    ([, head = '', body = '']) => {
      const attribute = (name: string) => unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1] ?? '');
      return {
        id: attribute('id'),
        from: attribute('from'),
        at: Date.parse(attribute('at')),
        thread: attribute('thread'),
        objective: attribute('objective'),
        text: unescaped(body),
      };
    },
  );
}

const notes = `# Harbor Map 2.0

- Maps open without a connection.
- Routes avoid tides that are too low for your boat.
- Sharing a route takes one tap.

Thanks to everybody who tested the beta.
`;

const post = (channel: string, body: string, inReplyTo?: string, attachments?: string[]): Block =>
  use('channels_post', {
    channel,
    body,
    ...(inReplyTo && { inReplyTo }),
    ...(attachments && { attachments }),
  });
const write = (path: string, text: string): Block =>
  use('fs_write', { path, mimeType: 'text/markdown', text, collide: 'overwrite' });

/** Mason writes the text for the store, while one watches. */
const writeListing = ({ id }: Incoming): Step[] => [
  [
    say('Ben wants the text for the store by Friday. First I look at what changed.'),
    use('fs_read', { path: '/ben/changes.md' }),
  ],
  [
    say('Nine changes. Three of them matter to people who sail; the others are repairs.'),
    use('search', { query: 'offline' }),
  ],
  [
    say('People in the beta called it “maps without a connection”. I use their words.'),
    write('/mason/store-text.md', notes),
  ],
  [
    say('The draft is ready for Iris.'),
    post(
      'release',
      '@iris the draft of the store text is attached. Please check it against the list of changes.',
      id,
      ['/mason/store-text.md'],
    ),
  ],
  [say('The draft is with Iris.')],
];

/** Iris checks it, and finds something. */
const checkListing = ({ id }: Incoming): Step[] => [
  [say('I compare the draft with the list of changes.'), use('fs_read', { path: '/mason/store-text.md' })],
  [
    say('Two of three claims are right. The one about tides needs a limit.'),
    use('fs_read', { path: '/ben/changes.md' }),
  ],
  [
    post(
      'release',
      '@mason one correction: routes avoid low tides only where we have tide data, which is 14 of 22 regions. The rest is right.',
      id,
    ),
  ],
  [say('Mason has my correction.')],
];

const correctListing = ({ id }: Incoming): Step[] => [
  [
    say('Iris is right: that would promise too much.'),
    write(
      '/mason/store-text.md',
      notes.replace(
        'avoid tides that are too low for your boat',
        'avoid tides that are too low for your boat, in 14 regions',
      ),
    ),
  ],
  [post('release', '@iris corrected. The text now says “in 14 regions”.', id, ['/mason/store-text.md'])],
  [say('Corrected.')],
];

/** The fourth post by agents in a row, which the team's limit holds. */
const proposeSubmission = ({ id }: Incoming): Step[] => [
  [use('fs_read', { path: '/mason/store-text.md' })],
  [
    say('The text is right now.'),
    post('release', '@mason the text is right. I suggest that you submit it to the store tonight.', id),
  ],
  [say('I suggested to submit the text tonight.')],
];

const submitListing = (objective: string): Step[] => [
  [
    say('A person released the suggestion, so I submit the text.'),
    use('objectives_list', { assignee: 'mason', status: 'active' }),
  ],
  [
    use('objectives_complete', {
      id: objective,
      result: 'The store text is in /mason/store-text.md, checked by Iris and submitted.',
    }),
  ],
  [say('Submitted.')],
];

/** Ada has decided when the map server moves. */
function moveServer({ thread, text }: Incoming): Step[] {
  const id = thread.replace('objective ', '');
  const when = /monday/i.test(text) ? 'Monday at 22:00' : 'Saturday at 06:00';
  return [
    [say('There is a decision, so I go on.'), use('objectives_update', { id, status: 'active' })],
    [
      use('objectives_discuss', {
        id,
        body: `Thank you. I plan the move for ${when}, and tell the harbors now.`,
      }),
    ],
    [
      write(
        '/iris/move-plan.md',
        `# Moving the map server\n\n1. ${when}: copy the tiles.\n2. Switch the address.\n3. Watch the errors for an hour.\n`,
      ),
    ],
    [
      use('objectives_complete', {
        id,
        result: `The move is planned for ${when}; the steps are in /iris/move-plan.md.`,
      }),
    ],
    [say('The move is planned.')],
  ];
}

/** Work that a visitor hands over. */
function newWork(self: string, { thread, text }: Incoming): Step[] {
  const id = thread.replace('objective ', '');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  const [title, outcome] = [field('title') || 'this', field('outcome')];
  const path = `/${self}/${
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'result'
  }.md`;
  return [
    [
      say(`I begin with “${title}”.`),
      use('objectives_discuss', { id, body: `I begin. The result will be in ${path}.` }),
    ],
    [
      say('First I look for what the team knows about it.'),
      use('search', { query: title.split(' ')[0] ?? title }),
    ],
    [
      write(
        path,
        `# ${title}\n\nThe outcome that was asked for: ${outcome}\n\nThis demo’s model is a script, so there is no more to read here.\n`,
      ),
    ],
    [use('objectives_complete', { id, result: `See ${path}. (The model of this demo is a script.)` })],
    [say('Done.')],
  ];
}

const short = (text: string): string =>
  (text.length > 80 ? `${text.slice(0, 79)}…` : text).replaceAll('\n', ' ');

/** `self`: whose model it is. `text`: everything that woke the agent. `startedAt`: older messages need no answer. */
function planOf(self: string, text: string, startedAt: number): Step[] {
  const all = incomingOf(text);
  const incoming = all.filter(({ at }) => at >= startedAt);
  const last = incoming.at(-1);
  if (last === undefined && all.length > 0) return [[say('I have read what happened while I was away.')]];
  if (last === undefined) return [[say('I am here, and look at what is open.')]];
  const of = (test: (one: Incoming) => boolean): Incoming | undefined => incoming.find(test);
  const inRelease = (from: string, word: string) =>
    of((one) => one.thread === '#release' && one.from === from && one.text.includes(word));
  const assigned = of((one) => /^outcome: /m.test(one.text) && one.objective.startsWith('assigned to you'));
  if (assigned !== undefined) return newWork(self, assigned);
  if (self === 'mason') {
    const [asked, corrected, released] = [
      inRelease('ben', 'store text'),
      inRelease('iris', 'correction'),
      inRelease('iris', 'submit it'),
    ];
    if (released !== undefined) return submitListing(objectiveIn(text) ?? '');
    if (corrected !== undefined) return correctListing(corrected);
    if (asked !== undefined) return writeListing(asked);
  }
  if (self === 'iris') {
    const [draft, corrected] = [inRelease('mason', 'draft'), inRelease('mason', 'corrected')];
    if (corrected !== undefined) return proposeSubmission(corrected);
    if (draft !== undefined) return checkListing(draft);
    const decided = of((one) => one.objective.includes('Move the map server') && one.from !== self);
    if (decided !== undefined)
      return decided.objective.includes('done') ? [[say('Seen.')]] : moveServer(decided);
  }
  if (last.thread === 'direct')
    return [
      [
        say('A direct message: I look at my open work before I answer.'),
        use('objectives_list', { assignee: self }),
      ],
      [
        say(
          `I have your message, “${short(last.text)}”. My model is a script that knows this demo only, but the way here was the real one: give me an objective, and watch me work on it.`,
        ),
      ],
    ];
  return [[say('Seen. There is nothing for me to do.')]];
}

const objectiveIn = (text: string): string | undefined => /\bobj_[0-9a-z]{10}\b/.exec(text)?.[0];

/**
 * Returns the next answer of the model. The step is the number of its answers since the last input that is not only results
 * of tools. `known`: the system prompt, with the objectives of the agent. `startedAt`: of the demo, epoch ms.
 */
export function answerOf(
  self: string,
  messages: readonly ModelMessage[],
  { known, startedAt }: { known: string; startedAt: number },
): Step {
  const start = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.some(({ type }) => type === 'text'),
  );
  const text = (messages[start]?.content ?? []).map((block) => block.text ?? '').join('\n');
  const own = self === 'mason' && text.includes('submit it') ? `${text}\n${objectiveIn(known) ?? ''}` : text;
  const step = messages.slice(start + 1).filter(({ role }) => role === 'assistant').length;
  const plan = planOf(self, own, startedAt);
  return plan[step] ?? [say('Done.')];
}
