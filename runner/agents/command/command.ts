/**
 * Any other agent that reads `.mcp.json`: it gets the toolbox, and messages with its next tool call
 * (specification/runner.md#toolbox-rules).
 */
import { basename, dirname, resolve } from 'node:path';
import { nearestWord } from '#platform/nearest-word.ts';
import { registerBridge } from '../../registration/registry-file.ts';
import type { AgentKind } from '../agent.ts';
import { installableKinds } from '../agent-kinds.ts';
import { requireProgram } from '../agent-program.ts';
import { createPersonProcess } from '../person-process.ts';
import { commandDescriptor } from './descriptor.ts';

function remedyFor(word: string): string {
  const near = nearestWord(
    word,
    installableKinds.map(({ id }) => id),
  );
  const meant = near === undefined ? '' : `Did you mean "${near}"? Otherwise, install it, or`;
  return `${meant || 'Install it, or'} name it by its path, as in ./agent.sh.`;
}

/** `word`: a program on the PATH, or a path; a relative one starts in the folder of this process. */
export function commandKind(word: string): AgentKind {
  const name = /[\\/]/.test(word) ? resolve(word) : word;
  const remedy = remedyFor(word);
  return {
    descriptor: commandDescriptor,
    async capabilities({ env }) {
      await requireProgram(name, env, remedy);
      // Its reaction to --version may not be harmless, so it is not asked.
      return { version: basename(name), canWake: false, hasChannel: false, hooks: null };
    },
    async prepare(setting) {
      const { cwd, member, bridge, env, args, mode, runFolder, log, modelUrl, capturesOutput, events } =
        setting;
      const program = await requireProgram(name, env, remedy);
      if (modelUrl !== null) log('the model requests of a command cannot be redirected');
      const registration = registerBridge({ cwd, member, bridge, keptDir: dirname(setting.runFolder) });
      return createPersonProcess({
        program,
        args,
        cwd,
        env,
        mode,
        runFolder,
        onLine: capturesOutput ? events.onTranscript : null,
        undo() {
          const said = registration.restore();
          if (said !== null) setting.tell(said);
        },
      });
    },
    upstream: () => Promise.resolve(null),
  };
}
