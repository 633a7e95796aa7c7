/** `muster demo` (specification/command-line.md#demo). */
import { runDemo } from '../demo/run-demo.ts';
import { listenOptions } from '../run-broker.ts';
import { defineVerb } from '../verb.ts';

export const noOpen = {
  'no-open': { type: 'boolean', help: 'print the link to the console instead of opening it' },
} as const;

export const verb = defineVerb({
  usage: 'muster demo [options]',
  options: { ...noOpen, ...listenOptions },
  notes: [
    'Three people and two agents, in a temporary folder: your own team, files, and tokens are not touched. The agents run as others do;',
    'only their model is a script, so no account and no key are needed. Press Ctrl+C to end it; nothing of it stays.',
  ],
  run: ({ values, env }) => runDemo(values, env),
});
