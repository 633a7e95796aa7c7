import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentTeam, startAgentTeam } from './agent-team.ts';
import { type ScriptedModel, startScriptedAnthropic } from './scripted-anthropic.ts';
import { type ScriptedResponses, startScriptedOpenai } from './scripted-openai.ts';

let team: AgentTeam;
let claudeModel: ScriptedModel;
let codexModel: ScriptedResponses;
afterEach(async () => {
  await team.stop();
  await claudeModel.close();
  await codexModel.close();
});

/** Everything in a folder: path, bytes, and mode. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const { mode } = statSync(path);
      return `${name} ${mode.toString(8)} ${statSync(path).isFile() ? readFileSync(path, 'base64') : ''}`;
    });
}

function furnish(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src', 'index.ts'), 'export {};\n');
  writeFileSync(join(folder, '.mcp.json'), '{"mcpServers" : {  } }\r\n', { mode: 0o640 });
}

describe('a person, Claude Code and Codex as one team', () => {
  it('assigns an objective that both work on and complete, and shows the person all of it', async () => {
    claudeModel = await startScriptedAnthropic(({ messages }) => {
      const said = JSON.stringify(messages);
      const called = (tool: string) => said.includes(`"name":"mcp__svc__${tool}"`);
      const id = /obj_[0-9a-z]{10}/.exec(said)?.[0] ?? '';
      const path = /\/cody\/[a-z.]+/.exec(said)?.[0];
      if (!called('send'))
        return [
          {
            type: 'tool_use',
            name: 'mcp__svc__send',
            input: { to: 'cody', body: `numbers for ${id}, please` },
          },
        ];
      if (path !== undefined && !called('fs_read'))
        return [{ type: 'tool_use', name: 'mcp__svc__fs_read', input: { path } }];
      if (called('fs_read') && said.includes('19 and 23') && !called('objectives_complete'))
        return [
          { type: 'tool_use', name: 'mcp__svc__objectives_complete', input: { id, result: 'the sum is 42' } },
        ];
      return [{ type: 'text', text: 'waiting' }];
    });
    codexModel = await startScriptedOpenai(({ input }) => {
      const said = JSON.stringify(input);
      const call = (name: string, given: Record<string, unknown>) => [
        { type: 'call' as const, namespace: 'mcp__svc', name, input: given },
      ];
      if (!said.includes('numbers for')) return [{ type: 'text', text: 'nothing to do' }];
      if (!said.includes('"name":"fs_write"'))
        return call('fs_write', { path: '/cody/numbers.txt', mimeType: 'text/plain', text: '19 and 23' });
      if (!said.includes('"name":"send"'))
        return call('send', { to: 'claude', body: 'here they are', attachments: ['/cody/numbers.txt'] });
      return [{ type: 'text', text: 'sent' }];
    });
    team = await startAgentTeam({ ada: ['admin'], claude: [], cody: [] });
    for (const member of ['claude', 'cody']) furnish(join(team.folder, `work-${member}`));
    const before = ['claude', 'cody'].map((member) => snapshot(join(team.folder, `work-${member}`)));
    const ada = await team.team.stream('ada');

    const claude = await team.run({ member: 'claude', kind: 'claude-code', modelUrl: claudeModel.url });
    const cody = await team.run({ member: 'cody', kind: 'codex', modelUrl: codexModel.url });
    const { id } = await team.team.as('ada').call('createObjective', {
      body: { title: 'Add the numbers', outcome: 'Their sum is known', assignee: 'claude' },
    });
    const finished = async () =>
      (await team.team.as('ada').call('objective', { params: { id } })).objective.status === 'done';
    await team.until(finished, 'the objective’s completion');

    const { objective } = await team.team.as('ada').call('objective', { params: { id } });
    expect(objective.result).toBe('the sum is 42');
    await ada.until(() => ada.messages().length >= 2);
    expect(ada.messages().map(({ from, data }) => [from, (data.event as { type: string }).type])).toEqual([
      ['ada', 'objective.assigned'],
      ['claude', 'objective.completed'],
    ]);
    for (const member of ['claude', 'cody']) {
      const exchanges = async () =>
        (await team.activityOf(member)).filter(({ event }) => event.kind === 'llm_exchange');
      await team.until(async () => (await exchanges()).length >= 3, `the exchanges of ${member}`);
      for (const { event } of await exchanges())
        expect(event).toMatchObject({ entry: { response: { usage: { inputTokens: 11, outputTokens: 7 } } } });
    }
    const markers = (await team.activityOf('claude'))
      .map(({ event }) => event.kind)
      .filter((kind) => kind.startsWith('objective'));
    expect(new Set(markers)).toEqual(new Set(['objective_open', 'objective_close']));

    expect(await claude.stop()).toBe(143);
    expect(await cody.stop()).toBe(143);
    expect(['claude', 'cody'].map((member) => snapshot(join(team.folder, `work-${member}`)))).toEqual(before);
  });

  it('loses no message when the agent, the bridge, the runner, and the broker are killed', async () => {
    claudeModel = await startScriptedAnthropic(() => [{ type: 'text', text: 'ok' }]);
    codexModel = await startScriptedOpenai(() => [{ type: 'text', text: 'ok' }]);
    team = await startAgentTeam({ ada: ['admin'], cody: [] });
    const seen = (body: string) =>
      codexModel.requests.some((request) => JSON.stringify(request).includes(body));
    const say = (body: string) => team.team.as('ada').call('push', { body: { to: 'cody', body } });
    const request = { member: 'cody', kind: 'codex', modelUrl: codexModel.url };

    // The agent: the run ends with it, and the next run delivers what arrived in the meantime.
    let run = await team.run(request);
    await say('first of all');
    await team.until(() => seen('first of all'), 'the first message');
    run.killAgent();
    await run.exited;
    await say('while the agent was dead');
    run = await team.run({ ...request, again: run });
    await team.until(() => seen('while the agent was dead'), 'what came while it was dead');

    // The runner: it cannot say goodbye.
    await run.stop('SIGKILL');
    await say('while the runner was dead');
    run = await team.run({ ...request, again: run });
    await team.until(() => seen('while the runner was dead'), 'what came while the runner was dead');

    // The broker: the stream resumes, and messages that are sent afterwards arrive.
    await team.team.restart();
    await say('after the broker came back');
    await team.until(() => seen('after the broker came back'), 'what came after the broker');
    await run.stop();
  });

  it('loses no message that the agent accepted in the middle of a turn when everything is killed before its model has it', async () => {
    claudeModel = await startScriptedAnthropic(() => [{ type: 'text', text: 'ok' }]);
    let isHanging = true;
    const never = new Promise<[]>(() => undefined);
    codexModel = await startScriptedOpenai(() => (isHanging ? never : [{ type: 'text', text: 'ok' }]));
    team = await startAgentTeam({ ada: ['admin'], cody: [] });
    const seen = (body: string) =>
      codexModel.requests.some((request) => JSON.stringify(request).includes(body));
    const say = (body: string) => team.team.as('ada').call('push', { body: { to: 'cody', body } });
    const request = { member: 'cody', kind: 'codex', modelUrl: codexModel.url };
    const first = await team.run(request);
    await say('a long piece of work');
    await team.until(() => seen('a long piece of work'), 'the turn');
    const { message } = await say('in the middle of it');
    const taken = async () => {
      const { receipts } = await team.team.as('ada').call('receipts', { params: { id: message.id } });
      return receipts[0]?.state === 'accepted';
    };
    await team.until(taken, 'the steering');
    await first.stop('SIGKILL');
    expect(seen('in the middle of it')).toBe(false);
    isHanging = false;
    const second = await team.run({ ...request, again: first });
    await team.until(() => seen('in the middle of it'), 'the message that was taken');
    await second.stop();
  });
});
