import { describe, expect, it } from 'vitest';
import { hookSettings } from './claude-hooks.ts';
import { loadsChannel } from './claude-terminal.ts';

describe('settings for the hooks', () => {
  it('run svc mcp-hook for both events, without secrets and with every word quoted', () => {
    const { hooks } = hookSettings({ command: '/a b/node', args: ["/it's/svc", 'mcp-bridge'] });
    const entry = (event: string) => [
      {
        hooks: [
          { type: 'command', command: `'/a b/node' '/it'\\''s/svc' 'mcp-hook' '${event}'`, timeout: 30 },
        ],
      },
    ];
    expect(hooks).toEqual({ UserPromptSubmit: entry('UserPromptSubmit'), Stop: entry('Stop') });
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
