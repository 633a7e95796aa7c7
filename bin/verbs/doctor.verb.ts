/** `muster doctor`: one line per check, with what to do about it (specification/command-line.md#verbs). */
import { resolve } from 'node:path';
import process from 'node:process';
import { createBearerCache } from '#client/bearer-cache.ts';
import { installableKinds } from '../../runner/agents/agent-kinds.ts';
import { clientOptions } from '../broker-connection.ts';
import { configCandidates, knownStores, placeOptions } from '../broker-place.ts';
import { colored } from '../colors.ts';
import { checkBroker } from '../doctor/broker-checks.ts';
import { checkDisks } from '../doctor/disk-checks.ts';
import { checkCache, checkConfig, checkKek } from '../doctor/file-checks.ts';
import { type Finding, skip } from '../doctor/finding.ts';
import { checkNode } from '../doctor/node-check.ts';
import { print, printJson } from '../output.ts';
import { ownPaths } from '../own-paths.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

/** Loads the client of the database, which hardly anybody needs. */
const checkStandbysAt = async (url: string): Promise<Finding> =>
  (await import('../doctor/standby-check.ts')).checkStandbys(url);

export const verb = defineVerb({
  usage: 'muster doctor [agent] [options]',
  takesArguments: true,
  options: {
    full: {
      type: 'boolean',
      help: 'also read both stores and all contents of files completely, beside a running broker',
    },
    ...placeOptions,
    'model-url': {
      type: 'string',
      value: '<url>',
      help: 'with an agent: address for its model requests, instead of its own account',
    },
    timeout: {
      type: 'string',
      value: '<seconds>',
      help: 'with an agent: time for all steps of its test, from 24 (the default) to 600',
    },
    ...clientOptions,
    json: { type: 'boolean', help: 'print an array of { check, status, detail, remedy }' },
  },
  notes: [
    'Changes nothing. Exits with 1 if a check fails.',
    `With ${installableKinds.map(({ id }) => id).join(' or ')}, it also tests that agent: whether its model answers a message through each way, and calls a tool. This takes at most 30 s, unless --timeout allows more, and a few requests of the agent’s account.`,
  ],
  async run({ values, positionals, env }) {
    const [agent, ...rest] = positionals;
    if (rest.length > 0) throw new UsageError('name only one agent');
    const ofAgent = (['timeout', 'model-url'] as const).find((option) => values[option] !== undefined);
    if (agent === undefined && ofAgent !== undefined) throw new UsageError(`--${ofAgent} needs an agent`);
    const limitMs = timeOf(values.timeout);
    const candidates = configCandidates(values, env).map((path) => resolve(path));
    const cache = createBearerCache({ path: ownPaths(env).authPath });
    const configuration = await checkConfig(candidates, candidates.length === 1);
    const { path, config } = configuration;
    const stores = path === undefined ? null : knownStores(path, values, env);
    const findings: Finding[] = [
      checkNode(process.version, `${process.platform}-${process.arch}`),
      ...configuration.findings,
      ...(path === undefined ? [skip('key', 'no configuration')] : await checkKek(path, config, env.SVC_KEK)),
      ...(await checkCache(cache)),
      ...(stores === null ? [] : await checkDisks(stores, config?.files?.minFreeBytes)),
      ...(await checkBroker({ ...values, env, cache }, stores)),
      ...(env.SVC_STANDBY_URL ? [await checkStandbysAt(env.SVC_STANDBY_URL)] : []),
    ];
    if (!values.json) for (const finding of findings) print(findingLine(finding));
    if (values.full) {
      const { checkEverything } = await import('../doctor/full-checks.ts');
      for (const finding of await checkEverything(values, env)) {
        findings.push(finding);
        if (!values.json) print(findingLine(finding));
      }
    }
    if (agent !== undefined) {
      const { checkAgent } = await import('../doctor/agent-checks.ts');
      for await (const finding of checkAgent(agent, env, {
        modelUrl: values['model-url'] ?? null,
        limitMs,
      })) {
        findings.push(finding);
        if (!values.json) print(findingLine(finding));
      }
    }
    if (values.json) printJson(findings);
    const code = findings.some(({ status }) => status === 'fail') ? 1 : 0;
    // A process of the agent that left its group may hold pipes to this process open.
    if (agent !== undefined) setTimeout(() => process.exit(code), openPipesMs).unref();
    return code;
  },
});

/** How long this process may stay after the last line. */
const openPipesMs = 1000;
const styleByStatus = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'dim' } as const;

function findingLine({ check, status, detail, remedy }: Finding): string {
  const mark = colored(styleByStatus[status], status.padEnd(4));
  return `${mark}  ${check}: ${oneLine(detail)}${remedy === undefined ? '' : ` → ${oneLine(remedy)}`}`;
}

const [minSeconds, maxSeconds] = [24, 600];

function timeOf(written: string | undefined): number {
  const seconds = Number(written ?? minSeconds);
  if (!Number.isInteger(seconds) || seconds < minSeconds || seconds > maxSeconds)
    throw new UsageError(`--timeout must be a number of seconds from ${minSeconds} to ${maxSeconds}`);
  return seconds * 1000;
}
