/** `muster demo`: a living team in a folder of its own, which goes when the demo ends. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { createHttpClient, type HttpClient } from '#client/http-client.ts';
import { createClient } from '#protocol/client.ts';
import type { Env } from '#protocol/paths.ts';
import { formatScope } from '#protocol/scope.ts';
import { abandonedFolders, makeOwnedFolder } from '../../runner/process/owned-folder.ts';
import { consoleLink } from '../console-link.ts';
import { openLink } from '../open-link.ts';
import { hasBrowser } from '../open-url.ts';
import { print, remark } from '../output.ts';
import { type ListenValues, runBroker } from '../run-broker.ts';
import { startDemoRuns } from './demo-runs.ts';
import { agentNames, type DemoName, makeDemoTeam } from './demo-team.ts';
import { playHistory } from './history.ts';
import { startScriptedModel } from './scripted-model.ts';

/** Not that of a broker of one's own, whose login in the browser would end. */
const firstPort = 8787;
const portsTried = 20;
const hourMs = 3_600_000;
const weekHours = 168;
const agentsTimeoutMs = 20_000;
/** Before a waiting device expires. */
const deviceAgainMs = 9 * 60_000;

export interface DemoValues extends ListenValues {
  'no-open'?: boolean;
}

/** Resolves with the exit code when a signal has ended it. */
export async function runDemo(values: DemoValues, env: Env): Promise<number> {
  const parent = tmpdir();
  // A demo that was killed could not remove its own.
  for (const path of abandonedFolders(parent, 'musterdemo')) rmSync(path, { recursive: true, force: true });
  const folder = makeOwnedFolder(parent, 'musterdemo');
  try {
    return await play(folder, values, env);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function play(folder: string, values: DemoValues, env: Env): Promise<number> {
  const team = await makeDemoTeam(folder);
  const model = await startScriptedModel();
  let hoursAgo = weekHours;
  const clock = () => Date.now() - hoursAgo * hourMs;
  const ends: (() => Promise<void> | void)[] = [model.close];
  try {
    return await runBroker({
      values,
      env: {},
      configPath: team.configPath,
      dbPath: team.dbPath,
      activityDbPath: team.activityDbPath,
      telemetryPath: join(folder, 'telemetry.json'),
      defaultLogLevel: 'silent',
      setupHint: '',
      firstPort,
      portsTried,
      clock,
      async onListening(url) {
        const httpOf = (name: DemoName) => createHttpClient({ url, token: team.tokenOf(name) });
        await playHistory({
          httpOf,
          setHoursAgo(hours) {
            hoursAgo = hours;
          },
        });
        hoursAgo = 0;
        ends.push(await startDemoRuns(folder, team, { url, modelUrl: model.url }));
        ends.push(keepDeviceWaiting(url));
        await welcome({
          url,
          http: httpOf('ada'),
          values,
          env,
          beforeEnd: (end) => void ends.push(end),
        });
        await beginWork(httpOf);
      },
      onStopping: async () => {
        for (const end of ends.splice(0).reverse()) await end();
      },
    });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

interface Welcome {
  url: string;
  http: HttpClient;
  values: DemoValues;
  env: Env;
  beforeEnd: (end: () => Promise<void>) => void;
}

async function welcome({ url, http, values, env, beforeEnd }: Welcome): Promise<void> {
  const client = createClient(http.send);
  const link = async () => (await consoleLink(client, url)).url;
  const opening = values['no-open'] || !hasBrowser(env) ? null : await openLink(link, env);
  if (opening !== null) beforeEnd(opening.close);
  const say = values.json ? remark : print;
  say(`
The team Tideline is at work, and you are Ada, its director. ${opening?.isTaken ? 'The console opens in your browser; this link opens it, too' : 'Open this link in a browser'}:

  ${await link()}

  1. The inbox shows what needs you: a decision for Iris, a post that is held, and a device that asks to join.
  2. In Messages, #release: Mason and Iris work on the text for the store, while you watch.
  3. In Agents, Fleet and All activity show what each agent asks its model, what it answers, and which tools it uses.
  4. In Objectives, answer Iris in “Move the map server”, and she goes on.
  5. Write to Mason, or give one of them an objective. Their model is a script; everything else is real.

The link works once, within a minute. ${process.stdin.isTTY ? 'Press Enter for a new one, and' : 'Press'} Ctrl+C to end the demo; nothing of it stays.`);
  if (!process.stdin.isTTY) return;
  process.stdin.on('data', async () => {
    // The broker may be ending.
    const next = await link().catch(() => null);
    if (next !== null) say(next);
  });
  process.stdin.unref();
}

/** Returns what ends it. */
function keepDeviceWaiting(url: string): () => void {
  const client = createClient(createHttpClient({ url, token: null }).send);
  const ask = () =>
    void client.call('enroll', { body: { labelHint: 'Cy’s new laptop' } }).catch(() => undefined);
  ask();
  const timer = setInterval(ask, deviceAgainMs);
  return () => clearInterval(timer);
}

/** Ben’s post begins the live part, once both agents are there to read it. */
async function beginWork(httpOf: (name: DemoName) => HttpClient): Promise<void> {
  const ben = createClient(httpOf('ben').send);
  const until = performance.now() + agentsTimeoutMs;
  for (; performance.now() < until; await pause(200)) {
    const { connected } = await ben.call('roster', {});
    if (agentNames.every((name) => connected.some((one) => one.name === name && one.connected))) break;
  }
  const { channels } = await ben.call('channels', {});
  const release = channels.find(({ slug }) => slug === 'release');
  if (release === undefined) return;
  const body =
    '@mason can you finish the store text today? The list of changes is complete. @iris please check it, when it is there.';
  await ben.call('push', {
    body: { body, data: { thread: formatScope({ kind: 'channel', channelId: release.id }) } },
  });
}
