/**
 * `muster setup`: writes a new configuration and shows the first member's secrets once
 * (specification/command-line.md#setup).
 */
import { resolve } from 'node:path';
import process from 'node:process';
import { createBearerCache } from '#client/bearer-cache.ts';
import { defaultUrl } from '#client/credentials.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { type ListenBlock, WrittenConfig } from '../../broker/config/svc-config.ts';
import { chosenStores, configHere } from '../broker-place.ts';
import { renewVapid, turnHttpsOn } from '../change-setup.ts';
import { print, printJson, remark } from '../output.ts';
import { ownPaths } from '../own-paths.ts';
import {
  createQuestioner,
  faultOf,
  type Questioner,
  type SetupField,
  setupFields,
} from '../setup-questions.ts';
import { quoted } from '../shell-line.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';
import { refuseToOverwrite, type WrittenSetup, writeFirstConfig } from '../write-first-config.ts';

export const verb = defineVerb({
  usage: 'muster setup [options]',
  options: {
    'config-path': {
      type: 'string',
      value: '<file>',
      help: 'the file to write (default: SVC_CONFIG_PATH, or ./svc.json)',
    },
    team: { type: 'string', value: '<name>', help: 'name of the team' },
    directive: { type: 'string', value: '<text>', help: 'what the team should achieve' },
    brief: { type: 'string', value: '<text>', help: 'what every member must know' },
    admin: {
      type: 'string',
      value: '<new-member>',
      help: 'name of the first member, who has all permissions',
    },
    'admin-title': {
      type: 'string',
      value: '<title>',
      help: 'title of the first member (default: Director)',
    },
    'no-totp': { type: 'boolean', help: 'do not enroll an authenticator for login in the browser' },
    'host-name': {
      type: 'string',
      value: '<name>',
      help: 'name by which others reach the broker, for example that of its proxy',
    },
    'trusted-proxy': {
      type: 'string',
      value: '<address>',
      help: 'address or CIDR range of the proxy whose forwarding headers count',
    },
    save: {
      type: 'boolean',
      help: `save the token for ${defaultUrl}; an interactive setup does this without the option`,
    },
    https: {
      type: 'boolean',
      help: 'change an existing configuration: turn on HTTPS with the team’s own certificates',
    },
    'https-port': { type: 'string', value: '<port>', help: 'port for --https (default: 8718)' },
    'new-vapid': {
      type: 'boolean',
      help: 'change an existing configuration: create a new key pair for web push after the key file was lost',
    },
    db: {
      type: 'string',
      value: '<file>',
      help: 'main store, in which --new-vapid counts the members who get notifications again only after they open the console (default: SVC_DB_PATH, or the configuration)',
    },
    json: {
      type: 'boolean',
      help: 'print one object with configPath, kekPath, member, token, and totpUri; with --https, with urls, fingerprint, authorityPath, and keptKey; with --new-vapid, with vapidPublicKey and members',
    },
  },
  notes: [
    'In a terminal, setup asks for every value that is not given as an option, shows the QR code of an authenticator, and asks for a code before it writes anything. It never overwrites a configuration.',
  ],
  async run({ values, env }) {
    const changesHttps = values.https || values['https-port'] !== undefined;
    if (changesHttps && values['new-vapid']) throw new UsageError('pass --https or --new-vapid, not both');
    refuseUnused(values, changesHttps);
    if (changesHttps) return turnHttpsOn(values, env);
    if (values['new-vapid']) return renewVapid(values, env);
    const listen = listenBlock(values);
    const configPath = resolve(configHere(values, env));
    await refuseToOverwrite(configPath);
    const questioner = process.stdin.isTTY && process.stderr.isTTY ? createQuestioner() : undefined;
    try {
      const answers = await collectAnswers(values, questioner);
      const paths = ownPaths(env);
      const isConfirmed = questioner !== undefined && !values['no-totp'];
      const confirmed = isConfirmed ? await enroll(questioner, answers) : undefined;
      const written = await writeFirstConfig({
        configPath,
        env,
        filesRoot: configPath === paths.configPath ? paths.filesRoot : 'files',
        stores: chosenStores(configPath, env),
        request: {
          team: { name: answers.team, directive: answers.directive, brief: answers.brief },
          admin: { name: answers.admin, role: { title: answers['admin-title'] } },
          totp: !values['no-totp'] && confirmed !== null,
          ...(confirmed && { confirmed }),
        },
        ...(listen !== undefined && { complete: (config) => ({ ...config, listen }) }),
      });
      values.json ? printJson(written) : printWritten(written, isConfirmed);
      const cache = createBearerCache({ path: paths.authPath });
      const saved =
        (values.save || (await mayReplaceSaved(cache, questioner))) &&
        (await cache.save(defaultUrl, written.token).then(
          () => true,
          (error: Error) => remark(`the token was not saved: ${error.message}`),
        ));
      if (saved)
        remark(
          `Saved the token for ${defaultUrl} in ${cache.path}. Commands such as "${svcCommand} roster" use it.`,
        );
      if (!values.json) remark(`Start the broker: ${svcCommand} serve${startArguments(configPath)}`);
      return values.save && !saved ? 1 : 0;
    } finally {
      questioner?.close();
    }
  },
});

const ofFirstSetup = [
  'team',
  'directive',
  'brief',
  'admin',
  'admin-title',
  'no-totp',
  'host-name',
  'trusted-proxy',
  'save',
] as const;

/** @throws UsageError for an option that the command would ignore. */
function refuseUnused(values: Partial<Record<string, unknown>>, changesHttps: boolean): void {
  const isChange = changesHttps || values['new-vapid'] === true;
  const unused = ofFirstSetup.find((option) => isChange && values[option] !== undefined);
  if (unused !== undefined)
    throw new UsageError(
      `--${unused} applies only to a new configuration, and ${changesHttps ? '--https' : '--new-vapid'} changes the one that is there`,
    );
  if (values.db !== undefined && values['new-vapid'] !== true)
    throw new UsageError(
      '--db needs --new-vapid; set SVC_DB_PATH, or name the store in "stores" of the configuration',
    );
}

/** Loaded only in a terminal, with what draws the QR code. */
async function enroll(questioner: Questioner, answers: Answers) {
  const { confirmAuthenticator } = await import('../setup-authenticator.ts');
  return confirmAuthenticator(questioner, answers);
}

/** The public name and the proxy, for a broker behind one. */
function listenBlock(values: { 'host-name'?: string; 'trusted-proxy'?: string }): ListenBlock | undefined {
  const { 'host-name': host, 'trusted-proxy': proxy } = values;
  if (host === undefined && proxy === undefined) return undefined;
  const written = { ...(host && { hosts: [host] }), ...(proxy && { trustedProxies: [proxy] }) };
  const checked = WrittenConfig.shape.listen.safeParse(written);
  const [issue] = checked.error?.issues ?? [];
  if (issue === undefined) return written;
  throw new UsageError(`--${issue.path[0] === 'hosts' ? 'host-name' : 'trusted-proxy'} ${issue.message}`);
}

type Answers = Record<SetupField['option'], string>;

async function collectAnswers(given: Partial<Answers>, questioner: Questioner | undefined): Promise<Answers> {
  const answers: Answers = { team: '', directive: '', brief: '', admin: '', 'admin-title': '' };
  for (const field of setupFields) {
    const value = given[field.option];
    if (value !== undefined) {
      const fault = faultOf(field, value);
      if (fault !== undefined) throw new UsageError(`--${field.option} ${fault}`);
    } else if (questioner === undefined && field.default === undefined)
      throw new UsageError(`--${field.option} is required if there is no terminal`);
    answers[field.option] = value ?? '';
  }
  // Asked only when every given option is known to be valid.
  for (const field of setupFields) {
    if (given[field.option] === undefined)
      answers[field.option] = (await questioner?.ask(field)) ?? field.default ?? '';
  }
  return answers;
}

/** An interactive setup saves, but does not replace the token of another team without asking. */
async function mayReplaceSaved(
  cache: { find(url: string): Promise<unknown> },
  questioner: Questioner | undefined,
): Promise<boolean> {
  if (questioner === undefined) return false;
  try {
    if ((await cache.find(defaultUrl)) === undefined) return true;
  } catch {
    return true;
  }
  return questioner.confirm(`There is a saved token for ${defaultUrl}. Replace it?`);
}

function printWritten(written: WrittenSetup, isConfirmed: boolean): void {
  const isTotpShown = written.totpUri !== null && !isConfirmed;
  print(`Configuration: ${written.configPath}`);
  if (written.kekPath !== null)
    print(`Key file:      ${written.kekPath} (back it up; it decrypts the secrets in the configuration)`);
  print(`Member:        ${oneLine(written.member.name)}`);
  print(`Token:         ${written.token}`);
  if (isTotpShown) print(`TOTP:          ${written.totpUri}`);
  remark(
    isTotpShown
      ? 'Save the token and the TOTP address now, because they are shown only once. Add the TOTP address to an authenticator app.'
      : 'Save the token now, because it is shown only once.',
  );
}

function startArguments(configPath: string): string {
  return configPath === resolve('svc.json') ? '' : ` --config-path ${quoted(configPath)}`;
}
