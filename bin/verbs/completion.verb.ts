/** `muster completion`: the script with which a shell completes the command (specification/command-line.md#completion). */

import { nearestWord } from '#platform/nearest-word.ts';
import { scripts } from '../completion/scripts.ts';
import { print } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

const shells = Object.keys(scripts) as (keyof typeof scripts)[];

export const verb = defineVerb({
  usage: `muster completion <${shells.join('|')}>`,
  takesArguments: true,
  options: {},
  notes: [
    'Completes verbs, actions, options, and the names of members, channels, and objectives, for which it asks the broker with the saved token.',
    'To install it, add a line to the file with which the shell starts, and open a new shell:',
    '  bash        ~/.bashrc                    eval "$(muster completion bash)"',
    '  zsh         ~/.zshrc                     eval "$(muster completion zsh)"',
    '  fish        ~/.config/fish/config.fish   muster completion fish | source',
    '  powershell  $PROFILE                     muster completion powershell | Out-String | Invoke-Expression',
  ],
  async run({ positionals: [written, ...more] }) {
    const shell = shells.find((one) => one === written);
    if (shell !== undefined && more.length === 0) {
      print(scripts[shell]);
      return 0;
    }
    if (written === undefined || shell !== undefined)
      throw new UsageError(`name one shell: ${shells.join(', ')}`);
    const near = nearestWord(written, shells);
    throw new UsageError(
      `there is no completion for "${written}". ${near === undefined ? `Name one shell: ${shells.join(', ')}.` : `Did you mean "${near}"?`}`,
    );
  },
});
