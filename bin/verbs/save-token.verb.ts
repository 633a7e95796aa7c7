/** `muster save-token`: keeps a token for the following commands. */

import process from 'node:process';
import { text } from 'node:stream/consumers';
import { connectionOptions } from '../broker-connection.ts';
import { askSecret, canAsk } from '../prompt.ts';
import { saveToken } from '../saved-token.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster save-token [options]',
  options: {
    url: connectionOptions.url,
    'insecure-http': connectionOptions['insecure-http'],
    json: { type: 'boolean', help: 'print the address and the member as JSON' },
  },
  notes: [
    'Asks for the token in a terminal, and otherwise reads it from standard input. It is never an argument, which other',
    'programs of this machine could see. It is saved only if the broker accepts it.',
  ],
  async run({ values, env }) {
    const token = canAsk() ? await askSecret('Token: ') : (await text(process.stdin)).trim();
    if (token === '') throw new UsageError('there is no token. Pass it on standard input.');
    await saveToken(token, values, env);
    return 0;
  },
});
