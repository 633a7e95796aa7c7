import { describe, expect, it } from 'vitest';
import { canStay, claudeHooks, hookSettings } from './claude-hooks.ts';
import { statusLineSettings } from './claude-status-line.ts';
import { loadsChannel } from './claude-terminal.ts';

describe('settings for the hooks', () => {
  it('run muster mcp-hook for each moment, without secrets and with every word quoted', () => {
    const { hooks } = hookSettings({ command: '/a b/node', args: ["/it's/svc", 'mcp-bridge'] }, true);
    const entry = (moment: string) => ({
      type: 'command',
      command: `'/a b/node' '/it'\\''s/svc' 'mcp-hook' '${moment}'`,
    });
    const wakes = { ...entry('wake'), asyncRewake: true, rewakeSummary: 'Messages from your team' };
    expect(hooks).toMatchObject({
      SessionStart: [{ hooks: [wakes] }],
      UserPromptSubmit: [{ hooks: [{ ...entry('prompt'), timeout: 30 }] }],
      PostToolBatch: [{ hooks: [entry('tools')] }],
      Stop: [{ hooks: [entry('stop'), wakes] }],
      StopFailure: [{ hooks: [entry('failed'), wakes] }],
    });
  });

  it('leave out the hook that stays for an agent that ends after one turn', () => {
    expect(canStay(['--model', 'x'])).toBe(true);
    for (const flag of ['-p', '--print']) expect(canStay([flag])).toBe(false);
    const { hooks } = hookSettings({ command: 'node', args: ['svc', 'mcp-bridge'] }, false);
    expect(Object.keys(hooks)).toEqual(['UserPromptSubmit', 'PostToolBatch', 'Stop']);
    expect(JSON.stringify(hooks)).not.toContain('asyncRewake');
  });
});

describe('the answer of a hook', () => {
  const texts = { text: 'for the model', shown: 'for the person' };
  const parsed = (moment: 'prompt' | 'tools' | 'stop', text = texts.text) =>
    JSON.parse(claudeHooks.answer(moment, { ...texts, text }).stdout);

  it.each([
    ['prompt', 'UserPromptSubmit'],
    ['tools', 'PostToolBatch'],
    ['stop', 'Stop'],
  ] as const)('gives the model the text and shows the person who wrote: %s', (moment, event) => {
    expect(parsed(moment)).toEqual({
      systemMessage: 'for the person',
      hookSpecificOutput: { hookEventName: event, additionalContext: 'for the model' },
    });
  });

  it('gives a text that is too long for context at the end of the turn, as the reason to go on', () => {
    expect(claudeHooks.maxCharacters('prompt')).toBe(9900);
    expect(claudeHooks.maxCharacters('stop')).toBe(Number.POSITIVE_INFINITY);
    const text = 'x'.repeat(9901);
    expect(parsed('stop', text)).toMatchObject({ decision: 'block', reason: text });
  });
});

describe('the status line', () => {
  it('shows the file of the run, below the person’s own line', () => {
    expect(statusLineSettings(null, "/run's/status-line").statusLine).toMatchObject({
      type: 'command',
      command: "cat '/run'\\''s/status-line'",
    });
    const own = { type: 'command' as const, command: 'my-line --fast', padding: 2, refreshInterval: 9 };
    expect(statusLineSettings(own, '/run/status-line').statusLine).toEqual({
      ...own,
      command: "{ my-line --fast\n}; cat '/run/status-line'",
    });
  });
});

describe('the channel', () => {
  const flag = '--dangerously-load-development-channels';
  it.each([
    [[], false],
    [[flag, 'server:svc'], true],
    [[flag, 'server:other', 'server:svc'], true],
    [[`${flag}=server:svc`], true],
    [[flag, 'server:other'], false],
    [['server:svc'], false],
  ])('is used if the person loads it: %j is %s', (args, isLoaded) => {
    expect(loadsChannel(args)).toBe(isLoaded);
  });
});
