/** The demo's agent as a kind of agent: the runner does everything for it that it does for the others. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentKind } from '../../runner/agents/agent.ts';
import { createOwnedClaude } from '../../runner/agents/claude-code/claude-owned.ts';
import { registerBridge } from '../../runner/registration/registry-file.ts';
import { ownCommand } from '../own-command.ts';

/** @param modelUrl the address of the scripted model. */
export const demoKind = (modelUrl: string): AgentKind => ({
  descriptor: {
    id: 'demo',
    name: 'Demo agent',
    install: null,
    capabilities: {
      wakeModes: ['owned'],
      canSteer: false,
      hasChannel: false,
      exchanges: 'anthropic',
      keepsInstructions: false,
      canSkipApprovals: false,
    },
    help: '',
  },
  capabilities: () =>
    Promise.resolve({ version: 'Demo agent', canWake: true, hasChannel: false, hooks: null }),
  async prepare(setting) {
    const { cwd, member, bridge, env, instructions, runFolder } = setting;
    const prompt = join(runFolder, 'system-prompt.md');
    await writeFile(prompt, instructions, { mode: 0o600 });
    const registration = registerBridge({ cwd, member, bridge, keptDir: dirname(runFolder) });
    const { command, script } = ownCommand();
    const program = { command, args: [script, 'demo-agent'] };
    const own = { DEMO_MODEL_URL: setting.modelUrl ?? modelUrl, DEMO_INSTRUCTIONS: prompt };
    return createOwnedClaude(setting, { program, args: [], env: { ...env, ...own }, registration }, null);
  },
  upstream: () => Promise.resolve({ url: modelUrl, api: 'anthropic' }),
});
