/** `muster members`: the team's members, their tokens, and their authenticators (specification/members.md). */
import { svcCommand } from '#platform/svc-command.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import { memberPages } from '#protocol/lists.ts';
import type { WakePolicy } from '#protocol/member.ts';
import { allOf } from '#protocol/pages.ts';
import type { TokenInfo } from '#protocol/token.ts';
import { wakePolicies } from '#protocol/vocabulary.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { CommandFailure } from '../command-failure.ts';
import { limitOf, listLimit } from '../list-limit.ts';
import { localTime } from '../message-line.ts';
import { print, printJson, remark } from '../output.ts';
import { printPages } from '../print-pages.ts';
import { ask, canAsk, confirmed, confirms } from '../prompt.ts';
import { bearerCache } from '../saved-token.ts';
import { quoted } from '../shell-line.ts';
import { printTable } from '../table.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

const once = 'The token is shown only once.';

export const verb = defineActions({
  name: 'members',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: {
    'role-title': { type: 'string', value: '<title>', help: 'title of the member' },
    'role-description': { type: 'string', value: '<text>', help: 'what the member does' },
    instructions: { type: 'string', value: '<text>', help: 'private instructions for the member' },
    permissions: {
      type: 'string',
      value: '<list>',
      help: 'comma-separated presets and permissions; an empty list removes all',
    },
    wakes: {
      type: 'string',
      value: '<policy>',
      help: 'what wakes the member’s agent: all, default, or mentions',
    },
    ...listLimit,
    'present-code': {
      type: 'string',
      value: '<code>',
      help: 'current code of your authenticator that is replaced',
    },
    yes: { type: 'boolean', help: 'do not ask before the action' },
    ...clientOptions,
  },
  actions: {
    list: {
      summary: 'list every member; managers see private fields with --json',
      words: [],
      options: ['limit'],
      async run({ values, env }) {
        const max = limitOf(values.limit);
        const { client } = await connectToBroker(values, env);
        await printPages(memberPages(client, { max }), {
          isJson: values.json,
          max,
          head: ['MEMBER', 'ROLE', 'PERMISSIONS', 'TOTP'],
          cellsOf: ({ name, role, permissions, rawPermissions, totpEnrolled }) => [
            name,
            role.title,
            (rawPermissions ?? permissions).join(', '),
            totpEnrolled === undefined ? '' : totpEnrolled ? 'yes' : 'no',
          ],
          documentOf: (members) => ({ members }),
        });
        return 0;
      },
    },
    create: {
      summary: 'create a member and print the member’s token',
      words: ['new-name'],
      options: ['role-title', 'role-description', 'instructions', 'permissions'],
      example: 'muster members create ben --role-title Developer --permissions objectives.create',
      async run({ values, env, words: [name = ''] }) {
        const title = values['role-title'];
        if (title === undefined) throw new UsageError('a new member requires --role-title');
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('createMember', {
          body: {
            name,
            role: {
              title,
              ...(values['role-description'] !== undefined && { description: values['role-description'] }),
            },
            ...(values.instructions !== undefined && { instructions: values.instructions }),
            permissions: entriesOf(values.permissions ?? ''),
          },
        });
        if (values.json) printJson(reply);
        else {
          print(`created ${oneLine(reply.member.name)}\ntoken: ${oneLine(reply.token)}`);
          remark(once);
        }
        return 0;
      },
    },
    update: {
      summary: 'change a member’s role, instructions, permissions, or what wakes its agent',
      words: ['name'],
      options: ['role-title', 'role-description', 'instructions', 'permissions', 'wakes'],
      example: 'muster members update ben --wakes mentions',
      async run({ values, env, words: [name = ''] }) {
        const { 'role-title': title, 'role-description': description, instructions, permissions } = values;
        const wakes = wakesOf(values.wakes);
        if ([title, description, instructions, permissions, wakes].every((value) => value === undefined))
          throw new UsageError(
            'nothing to change. Pass --role-title, --role-description, --instructions, --permissions, or --wakes.',
          );
        const { client } = await connectToBroker(values, env);
        const role = title === undefined && description === undefined ? undefined : await changedRole();
        const reply = await client.call('updateMember', {
          params: { name },
          body: {
            ...(role !== undefined && { role }),
            ...(instructions !== undefined && { instructions }),
            ...(permissions !== undefined && { permissions: entriesOf(permissions) }),
            ...(wakes !== undefined && { wakes }),
          },
        });
        values.json
          ? printJson(reply)
          : print(
              `updated ${oneLine(reply.name)}: ${reply.permissions.join(', ') || 'no permissions'}${wakes === undefined ? '' : `, wakes=${wakes}`}`,
            );
        return 0;

        async function changedRole() {
          const members = await allOf(memberPages(client));
          const present = members.find((member) => member.name === name)?.role;
          return {
            title: title ?? present?.title ?? '',
            description: description ?? present?.description ?? '',
          };
        }
      },
    },
    delete: {
      summary: 'delete a member permanently; the name can never be used again',
      words: ['name'],
      options: ['yes'],
      async run({ values, env, words: [name = ''] }) {
        if (!values.yes)
          throw new UsageError(
            `deleting ${name} is permanent, and the name can never be used again. Repeat the command with --yes to confirm.`,
          );
        const { client } = await connectToBroker(values, env);
        await client.call('deleteMember', { params: { name } });
        if (!values.json) print(`deleted ${oneLine(name)}`);
        return 0;
      },
    },
    tokens: {
      summary: 'list a member’s tokens',
      words: ['name'],
      options: [],
      async run({ values, env, words: [name = ''] }) {
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('tokens', { params: { name } });
        if (values.json) printJson(reply);
        else
          printTable(
            ['TOKEN', 'LABEL', 'ORIGIN', 'CREATED', 'LAST USED'],
            reply.tokens.map(tokenRow),
            `${oneLine(name)} has no token; "muster members rotate ${oneLine(name)}" creates one`,
          );
        return 0;
      },
    },
    revoke: {
      summary: 'revoke a token and close the streams that use it',
      words: ['name', 'token-id'],
      options: [],
      async run({ values, env, words: [name = '', id = ''] }) {
        const { client } = await connectToBroker(values, env);
        await client.call('revokeToken', { params: { name, id } });
        if (!values.json) print(`revoked ${oneLine(id)}`);
        return 0;
      },
    },
    rotate: {
      summary: 'revoke every token of a member and create a new one',
      words: ['name'],
      options: ['yes'],
      async run({ values, env, words: [name = ''] }) {
        await confirmed(
          `Revoke every token of ${name}, and end its sessions, its downloads, and its runs, also those that it started for others?`,
          values.yes,
        );
        const { client, url, bearer } = await connectToBroker(values, env);
        const { member } = await client.call('session', {});
        const reply = await client.call('rotateToken', { params: { name } });
        if (values.json) printJson(reply);
        else print(`token: ${oneLine(reply.token)}`);
        remark(`Every other token of ${oneLine(name)} is revoked. ${once}`);
        if (reply.authenticatorUnbound)
          remark(
            `One of the ended credentials had bound the authenticator of ${oneLine(name)}, so it is no longer accepted. To enroll another one, run "${svcCommand} members enroll-totp ${quoted(name)}".`,
          );
        if (member !== name) return 0;
        // The token that authenticated this command is gone.
        if (bearer.from === 'cache') {
          await bearerCache(env).save(url, reply.token);
          remark(`The following commands use the new token: it is saved for ${url}.`);
        } else remark(`To use it in the following commands, run "${svcCommand} save-token --url ${url}".`);
        return 0;
      },
    },
    'enroll-totp': {
      summary:
        'enroll a new authenticator, in a terminal with a QR code and a code that confirms it; the previous one stops working',
      words: ['name'],
      options: ['present-code', 'yes'],
      async run({ values, env, words: [name = ''] }) {
        const presentCode = values['present-code'];
        if (presentCode !== undefined && !/^\d{6}$/.test(presentCode))
          throw new UsageError('--present-code must have six digits');
        const { client } = await connectToBroker(values, env);
        if (canAsk() && !values.json) {
          await enrollInTerminal(client, name, { isConfirmed: values.yes ?? false, presentCode });
          return 0;
        }
        const reply = await client.call('enrollTotp', { params: { name }, body: { presentCode } });
        if (values.json) printJson(reply);
        else {
          print(`secret: ${oneLine(reply.totpSecret)}\n${oneLine(reply.totpUri)}`);
          remark('Add the secret to an authenticator app. It is shown only once.');
        }
        return 0;
      },
    },
  },
});

async function askPresentCode(): Promise<string> {
  for (;;) {
    const code = await ask('Current code of the authenticator that is replaced: ');
    if (/^\d{6}$/.test(code)) return code;
    remark('  A code has six digits.');
  }
}

/** The previous authenticator works until a code of the new one is right. */
async function enrollInTerminal(
  client: BrokerClient,
  name: string,
  { isConfirmed, presentCode }: { isConfirmed: boolean; presentCode: string | undefined },
): Promise<void> {
  const members = await allOf(memberPages(client));
  const isBound = members.find((member) => member.name === name)?.totpEnrolled ?? true;
  const proposed = await client.call('proposeTotp', { params: { name } });
  if (isBound)
    await confirmed(
      `Replace the authenticator of ${oneLine(name)}? The present one stops working once a code confirms the new one.`,
      isConfirmed,
    );
  const { askForCode } = await import('../setup-authenticator.ts');
  const code = await askForCode({ line: ask, confirm: confirms }, proposed, 'stop');
  if (code === null) throw new CommandFailure('stopped, and nothing was changed.');
  const { totpSecret } = proposed;
  const enroll = (present: string | undefined) =>
    client.call('enrollTotp', {
      params: { name },
      body: { confirmed: { totpSecret, code }, presentCode: present },
    });
  await enroll(presentCode).catch(async (error: unknown) => {
    if (!(error instanceof BrokerError && error.reason === 'present_code_needed')) throw error;
    await enroll(await askPresentCode());
  });
  print(`enrolled the authenticator of ${oneLine(name)}; log in with its next code`);
}

const entriesOf = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

function wakesOf(text: string | undefined): WakePolicy | undefined {
  if (text === undefined) return undefined;
  const policy = wakePolicies.find((one) => one === text);
  if (policy === undefined) throw new UsageError('--wakes must be all, default, or mentions');
  return policy;
}

const tokenRow = ({ id, label, origin, createdAt, lastUsedAt }: TokenInfo): string[] => [
  id,
  label,
  origin,
  localTime(createdAt),
  lastUsedAt === null ? 'never' : localTime(lastUsedAt),
];
