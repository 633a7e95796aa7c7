/**
 * The week before the demo begins: what people and agents did, as requests of these members to the broker, whose clock
 * moves along.
 */
import type { HttpClient } from '#client/http-client.ts';
import type { ActivityEvent } from '#protocol/activity.ts';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import { MemberName } from '#protocol/ids.ts';
import { formatScope } from '#protocol/scope.ts';
import type { DemoName } from './demo-team.ts';
import { modelName } from './scripted-model.ts';

export interface Past {
  httpOf: (name: DemoName) => HttpClient;
  /** Sets the broker's clock to so many hours before now. It only moves forward. */
  setHoursAgo: (hours: number) => void;
}

export interface Scene {
  /** The objectives that the live part goes on with. */
  listing: string;
  server: string;
}

const changes = `# Changes since 1.4

1. Maps are kept on the device and open without a connection.
2. Routes avoid low tides, where there is tide data (14 of 22 regions).
3. A route can be shared with one tap.
4. to 9. Repairs.
`;

export async function playHistory({ httpOf, setHoursAgo }: Past): Promise<Scene> {
  const clients = new Map<DemoName, BrokerClient>();
  const as = (name: DemoName): BrokerClient => {
    const client = clients.get(name) ?? createClient(httpOf(name).send);
    clients.set(name, client);
    return client;
  };
  const say = (hours: number, from: DemoName, body: string, data?: { thread: string }) => {
    setHoursAgo(hours);
    return as(from).call('push', { body: { body, ...(data && { data }) } });
  };
  const tell = (hours: number, from: DemoName, to: DemoName, body: string) => {
    setHoursAgo(hours);
    return as(from).call('push', { body: { to, body } });
  };
  const work = async (hours: number, name: DemoName, tokens: number) => {
    setHoursAgo(hours);
    const at = Date.now() - hours * 3_600_000;
    const events = [exchangeOf(at, tokens)];
    await as(name).call('uploadActivity', { params: { name }, body: { events } });
  };
  const objective = async (
    hours: number,
    by: DemoName,
    given: { title: string; outcome: string; assignee: DemoName; watchers?: DemoName[] },
  ): Promise<string> => {
    setHoursAgo(hours);
    const { watchers = [], ...rest } = given;
    const body = {
      ...rest,
      assignee: MemberName.parse(given.assignee),
      watchers: watchers.map((one) => MemberName.parse(one)),
    };
    return (await as(by).call('createObjective', { body })).id;
  };
  const complete = async (hours: number, by: DemoName, id: string, result: string) => {
    setHoursAgo(hours);
    await as(by).call('completeObjective', { params: { id }, body: { result } });
  };

  await say(166, 'ada', 'Welcome to the Tideline team. We ship Harbor Map 2.0 on Friday.');
  await say(165, 'ben', 'The first beta is out. 40 people test it.');
  setHoursAgo(164);
  const { id: release } = await as('ada').call('createChannel', { body: { slug: 'release' } });
  for (const name of ['ben', 'cy', 'mason', 'iris'] as const)
    await as('ada').call('joinChannel', {
      params: { slug: 'release' },
      body: { member: MemberName.parse(name) },
    });
  const inRelease = (hours: number, from: DemoName, body: string) =>
    say(hours, from, body, { thread: formatScope({ kind: 'channel', channelId: release }) });
  await inRelease(163, 'ada', 'Everything about the release goes in this channel.');
  const tests = await objective(140, 'ben', {
    title: 'Find out why routes near Bergen jump',
    outcome: 'A failing test and its cause.',
    assignee: 'iris',
  });
  await work(139, 'iris', 41_000);
  await complete(
    137,
    'iris',
    tests,
    'Tide data there has gaps of 20 minutes. A test for it is in /iris/bergen.md.',
  );
  await inRelease(136, 'iris', 'The jumps near Bergen come from gaps in the tide data. A test shows it.');
  await inRelease(135, 'ben', 'Thank you @iris, I repair it today.');
  await tell(118, 'cy', 'ada', 'Two harbors asked whether 2.0 works without a connection. What may I say?');
  await tell(117, 'ada', 'cy', 'Yes, from Friday on.');
  const texts = await objective(96, 'ada', {
    title: 'Collect what beta testers call the new features',
    outcome: 'A list of their own words, with counts.',
    assignee: 'mason',
    watchers: ['cy'],
  });
  await work(95, 'mason', 58_000);
  await complete(93, 'mason', texts, '31 of 40 say “maps without a connection”; nobody says “offline mode”.');
  await inRelease(92, 'cy', 'Good to know: nobody says “offline mode”.');
  await work(70, 'iris', 36_000);
  await work(69, 'mason', 22_000);
  await say(68, 'ada', 'The store wants our text one day before the release.');
  const server = await objective(47, 'ada', {
    title: 'Move the map server',
    outcome: 'The tiles come from the new server, and nobody sees an error.',
    assignee: 'iris',
    watchers: ['ben'],
  });
  await work(46, 'iris', 64_000);
  setHoursAgo(24);
  await httpOf('ben').send({
    method: 'POST',
    url: `/fs/write?path=${encodeURIComponent('/ben/changes.md')}&mime=${encodeURIComponent('text/markdown')}`,
    headers: { 'content-type': 'application/octet-stream' },
    body: changes,
  });
  const listing = await objective(23, 'ben', {
    title: 'Write the text for the store',
    outcome: 'A text that is right, checked by Iris, and submitted before Friday.',
    assignee: 'mason',
    watchers: ['ada', 'iris'],
  });
  await work(22, 'mason', 17_000);
  await inRelease(21, 'ben', 'All changes since 1.4 are in /ben/changes.md.');
  setHoursAgo(2);
  await as('iris').call('updateObjective', {
    params: { id: server },
    body: {
      status: 'blocked',
      blockReason:
        'Two times fit. Saturday 06:00: eight minutes without maps. Monday 22:00: no interruption, but after the release. Which one, Ada?',
    },
  });
  await tell(1, 'cy', 'ada', 'My new laptop asks to join the team. Can you let it in?');
  return { listing, server };
}

function exchangeOf(at: number, inputTokens: number): ActivityEvent {
  const content = (text: string) => [{ type: 'text' as const, text }];
  return {
    kind: 'llm_exchange',
    ts: at,
    duration: 4200,
    entry: {
      kind: 'anthropic_messages',
      provider: 'anthropic',
      model: modelName,
      startedAt: at - 4200,
      endedAt: at,
      request: {
        system: null,
        messages: [{ role: 'user', content: content('Continue with your objective.') }],
        tools: null,
        maxTokens: 4096,
        temperature: null,
      },
      response: {
        messages: [{ role: 'assistant', content: content('I am done with this step.') }],
        stopReason: 'end_turn',
        status: 200,
        usage: {
          inputTokens,
          outputTokens: Math.round(inputTokens / 20),
          cacheReadInputTokens: 0,
          cacheCreationInputTokens: 0,
        },
      },
    },
  };
}
