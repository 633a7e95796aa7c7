/** `muster login`: logs this machine's command line or its browser in (specification/command-line.md#logging-in). */
import { svcCommand } from '#platform/svc-command.ts';
import { connectionOptions, connectToBroker } from '../broker-connection.ts';
import { consoleLink } from '../console-link.ts';
import { openLink } from '../open-link.ts';
import { hasBrowser } from '../open-url.ts';
import { print, printJson, remark } from '../output.ts';
import { askSecret, canAsk } from '../prompt.ts';
import { saveToken } from '../saved-token.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';
import { verb as connect } from './connect.verb.ts';

export const verb = defineVerb({
  usage: 'muster login [options]',
  options: {
    console: { type: 'boolean', help: 'open the console in the browser by a link that works once' },
    print: { type: 'boolean', help: 'with --console: print the link instead of opening it' },
    ...connectionOptions,
    json: { type: 'boolean', help: 'print the link, or the address and the member, as JSON' },
  },
  notes: [
    'Without --console, it asks for a token and saves it, or asks an operator for one as "muster connect" does.',
    'A link works within a minute, over HTTPS or on the machine of the broker.',
  ],
  async run({ values, env }) {
    if (values.console) return openConsole(values, env);
    if (values.print) throw new UsageError('--print requires --console');
    if (values.token !== undefined)
      throw new UsageError('a token is never an argument here: it is asked for');
    if (!canAsk())
      throw new UsageError(
        `there is no terminal to ask in. Pass the token on standard input to "${svcCommand} save-token".`,
      );
    const token = await askSecret('Token (press Enter to ask an operator for one): ');
    if (token !== '') await saveToken(token, values, env);
    else await connect.start(optionsFor(values), env);
    return 0;
  },
});

const optionsFor = ({ url, ...values }: { url?: string; 'insecure-http'?: boolean; json?: boolean }) => [
  ...(url === undefined ? [] : [`--url=${url}`]),
  ...(values['insecure-http'] ? ['--insecure-http'] : []),
  ...(values.json ? ['--json'] : []),
];

async function openConsole(
  values: { url?: string; token?: string; print?: boolean; json?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { client, url } = await connectToBroker(values, env);
  const newLink = () => consoleLink(client, url);
  const isOpened =
    !values.json &&
    !values.print &&
    hasBrowser(env) &&
    (await (
      await openLink(async () => (await newLink()).url, env)
    ).isFetched);
  if (isOpened) {
    print(`Opened the console at ${url}.`);
    return 0;
  }
  const link = await newLink();
  if (values.json) printJson(link);
  else {
    print(link.url);
    remark('Open the link within a minute. It works once.');
  }
  return 0;
}
