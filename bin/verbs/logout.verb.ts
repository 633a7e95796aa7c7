/** `muster logout`: forgets a saved token on this machine. */
import { resolveAddress } from '#client/credentials.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { connectionOptions } from '../broker-connection.ts';
import { CommandFailure } from '../command-failure.ts';
import { print, remark } from '../output.ts';
import { bearerCache } from '../saved-token.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster logout [options]',
  options: { url: connectionOptions.url },
  async run({ values, env }) {
    const cache = bearerCache(env);
    const { url } = await resolveAddress({ ...values, env, cache });
    if ((await cache.find(url)) === undefined)
      throw new CommandFailure(
        `no token is saved for ${url}. Pass --url with another address, if it is for that one.`,
      );
    await cache.remove(url);
    print(`Removed the token for ${url} from ${cache.path}.`);
    remark(
      `The token itself stays valid. To end it, run "${svcCommand} members revoke", or open Machines in the console.`,
    );
    return 0;
  },
});
