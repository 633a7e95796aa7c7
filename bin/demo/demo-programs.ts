/** The two programs that `muster demo` starts: the run of an agent, and the agent itself. */
import process from 'node:process';
import { createHttpClient } from '#client/http-client.ts';
import { reasonOf } from '#platform/error-text.ts';
import { startRun } from '../../runner/run.ts';
import { complain } from '../output.ts';
import { ownCommand } from '../own-command.ts';
import { runDemoAgent } from './demo-agent.ts';
import { demoKind } from './demo-kind.ts';

/** The order of the demo to a run, on its standard input, which then stays open: the run ends when it closes. */
export interface DemoRun {
  url: string;
  token: string;
  modelUrl: string;
  /** The folder in which the agent works. */
  cwd: string;
  logsDir: string;
  runsDir: string;
}

/** Resolves with the exit code; a failure is printed. */
export async function runDemoProgram(name: string): Promise<number> {
  try {
    if (name === 'demo-agent') {
      await runDemoAgent(process.env.DEMO_MODEL_URL ?? '', process.env.DEMO_INSTRUCTIONS ?? '');
      return 0;
    }
    return await runOne();
  } catch (error) {
    complain(reasonOf(error));
    return 1;
  }
}

async function runOne(): Promise<number> {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const { promise: order, resolve: accept } = Promise.withResolvers<DemoRun>();
  process.stdin
    .setEncoding('utf8')
    .on('data', (line: string) => accept(JSON.parse(line) as DemoRun))
    .once('close', close);
  const { url, token, modelUrl, cwd, logsDir, runsDir } = await order;
  const { command, script } = ownCommand();
  const run = await startRun({
    kind: 'demo',
    implementation: demoKind(modelUrl),
    args: [],
    cwd,
    mode: 'owned',
    isUnattended: false,
    isTraced: true,
    tracesHttp: false,
    modelUrl: null,
    http: createHttpClient({ url, token }),
    env: process.env,
    paths: { logsDir, runsDir },
    bridgeCommand: { command, args: [script, 'mcp-bridge'] },
    tell: () => undefined,
    onTranscript: () => undefined,
  });
  void closed.then(() => run.end('SIGHUP'));
  await run.ended;
  return 0;
}
