import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentTeam, startAgentTeam } from './agent-team.ts';
import { type ScriptedModel, startScriptedAnthropic } from './scripted-anthropic.ts';

let team: AgentTeam;
let model: ScriptedModel;
afterEach(async () => {
  await team.stop();
  await model.close();
});

/** Invented values of every form that the runner masks. */
const secrets = [
  `sk-${'a1B2'.repeat(12)}`,
  `sk-ant-api03-${'x9Y8'.repeat(12)}`,
  `ghp_${'Ab12'.repeat(9)}`,
  `github_pat_${'Ab12'.repeat(12)}`,
  `xoxb-${'123456789012-'.repeat(2)}${'AbCd'.repeat(6)}`,
  `AKIA${'ABCD'.repeat(4)}`,
  `eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIi'.repeat(3)}.${'c2lnbmF0'.repeat(4)}`,
];

/** The processes below this one, with what the system shows of them. */
function descendantsOf(pid: number): { argv: string; environment: string }[] {
  const parentByPid = new Map<string, string>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      parentByPid.set(
        name,
        readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1] ?? '',
      );
    } catch {
      // The process has ended in the meantime.
    }
  }
  const below = (parent: string): string[] =>
    [...parentByPid].filter(([, one]) => one === parent).flatMap(([name]) => [name, ...below(name)]);
  return below(String(pid)).map((name) => ({
    argv: readFileSync(`/proc/${name}/cmdline`, 'utf8'),
    environment: readFileSync(`/proc/${name}/environ`, 'utf8'),
  }));
}

describe('what a run reveals', () => {
  it('keeps secrets of known forms out of activity and logs, and tokens out of arguments and the agent’s environment', async () => {
    team = await startAgentTeam({ ada: ['admin'], ben: [] });
    model = await startScriptedAnthropic(() => [{ type: 'text', text: `I saw ${secrets.join(' and ')}` }]);
    const run = await team.run({ member: 'ben', kind: 'claude-code', modelUrl: model.url });
    await team.until(() => run.said().includes('Claude Code'), 'the start');
    await team.team.as('ada').call('push', { body: { to: 'ben', body: `Use ${secrets.join(', ')}` } });
    const exchanges = async () =>
      (await team.activityOf('ben')).filter(({ event }) => event.kind === 'llm_exchange');
    await team.until(async () => (await exchanges()).length > 0, 'the exchange');

    const processes = descendantsOf(run.child.pid ?? 0);
    expect(processes.length).toBeGreaterThanOrEqual(2);
    for (const { argv, environment } of processes) {
      expect(argv).not.toContain(team.team.token('ben'));
      expect(argv).not.toContain('SVC_RUNNER_KEY');
      expect(environment).not.toContain(team.team.token('ben'));
    }
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${run.child.pid}/status`, 'utf8'))?.[1];
    console.log(`the runner holds ${Math.round(Number(resident) / 1024)} MiB`);
    await run.stop();

    const logs = join(run.home, '.cache', 'svc', 'logs');
    const written = [
      JSON.stringify(await team.activityOf('ben')),
      ...readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8')),
    ].join('\n');
    expect(written).toContain('I saw');
    for (const secret of secrets) expect(written).not.toContain(secret);
    expect(written).not.toContain('sk-ant-made-up-for-this-test');
  });
});
