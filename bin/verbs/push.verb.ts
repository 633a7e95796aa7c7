/** `muster push`: one message to a member, a channel, or everybody. */
import { MemberName } from '#protocol/ids.ts';
import { formatScope } from '#protocol/scope.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { channelIdOf } from '../channel-name.ts';
import { deliver, deliveryLine, messageOptions, readOutgoing } from '../outgoing-message.ts';
import { print, printJson } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster push [text...] [options]',
  takesArguments: true,
  options: {
    to: { type: 'string', value: '<member>', help: 'send to this member only' },
    channel: { type: 'string', value: '<slug>', help: 'post in this channel' },
    'in-reply-to': {
      type: 'string',
      value: '<id>',
      help: 'id of the message that this one answers (muster recent --ids shows ids)',
    },
    ...messageOptions,
    ...clientOptions,
  },
  notes: [
    'Without --to or --channel, the message goes to everybody. Words are joined with spaces. Put "--" before text that begins with a dash.',
    'The last line break of standard input is removed.',
  ],
  async run({ values, positionals, env }) {
    const { to, channel, json } = values;
    if (to !== undefined && channel !== undefined) throw new UsageError('pass --to or --channel, not both');
    if (to !== undefined) refuseNoName(to);
    const outgoing = await readOutgoing(positionals, values, 'push');
    const connection = await connectToBroker(values, env);
    const { client } = connection;
    const result = await deliver(connection, outgoing, {
      ...(to !== undefined && { to }),
      ...(channel !== undefined && {
        data: { thread: formatScope({ kind: 'channel', channelId: await channelIdOf(client, channel) }) },
      }),
    });
    json ? printJson(result) : print(deliveryLine(result, channel?.replace(/^#/, '')));
    return 0;
  },
});

function refuseNoName(to: string): void {
  const checked = MemberName.safeParse(to);
  if (!checked.success) throw new UsageError(`--to: ${checked.error.issues[0]?.message}`);
}
