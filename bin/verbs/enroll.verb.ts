/** `muster enroll`: decides on devices that ask to join (specification/enrollment.md#decision). */
import type { BrokerClient } from '#protocol/client.ts';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { joinWay } from '#protocol/join.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { listOf } from '../checked-input.ts';
import { localTime } from '../message-line.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

export const verb = defineActions({
  name: 'enroll',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: {
    member: { type: 'string', value: '<member>', help: 'member whose device it is' },
    create: { type: 'boolean', help: 'create --member as a new member' },
    'role-title': { type: 'string', value: '<title>', help: 'title of the new member' },
    'role-description': { type: 'string', value: '<text>', help: 'what the new member does' },
    instructions: { type: 'string', value: '<text>', help: 'private instructions for the new member' },
    permissions: {
      type: 'string',
      value: '<list>',
      help: 'comma-separated presets and permissions of the new member',
    },
    label: { type: 'string', value: '<label>', help: 'name of the device (default: the name that it sent)' },
    reason: { type: 'string', value: '<text>', help: 'reason that the device shows' },
    ...clientOptions,
  },
  actions: {
    pending: {
      summary: 'list the devices that are waiting, oldest first',
      words: [],
      options: [],
      async run({ values, env }) {
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('pendingEnrollments', {});
        if (values.json) printJson(reply);
        else if (reply.enrollments.length === 0) print(await nobodyWaits(client));
        else
          printTable(
            ['CODE', 'DEVICE', 'PROGRAM', 'FROM', 'ASKED', 'EXPIRES'],
            reply.enrollments.map(pendingRow),
          );
        return 0;
      },
    },
    approve: {
      summary: 'approve a device for --member',
      words: ['code'],
      options: ['member', 'create', 'role-title', 'role-description', 'instructions', 'permissions', 'label'],
      example: 'muster enroll approve ABCD-EFGH --member ben',
      async run({ values, env, words: [userCode = ''] }) {
        const { member: memberName, label } = values;
        if (memberName === undefined)
          throw new UsageError('--member is required. Name the member whose device it is.');
        if (!values.create) refuseNewMember(values);
        const common = { userCode, memberName, ...(label !== undefined && { label }) };
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('approveEnrollment', {
          body: values.create
            ? { mode: 'create', ...common, ...newMember(values) }
            : { mode: 'bind', ...common },
        });
        values.json
          ? printJson(reply)
          : print(`approved for ${oneLine(reply.member.name)}; the device now receives its token`);
        return 0;
      },
    },
    reject: {
      summary: 'reject a device',
      words: ['code'],
      options: ['reason'],
      async run({ values, env, words: [userCode = ''] }) {
        const { client } = await connectToBroker(values, env);
        await client.call('rejectEnrollment', {
          body: { userCode, ...(values.reason !== undefined && { reason: values.reason }) },
        });
        if (!values.json) print(`rejected ${oneLine(userCode)}`);
        return 0;
      },
    },
    history: {
      summary: 'list the decisions of the last 30 days',
      words: [],
      options: [],
      async run({ values, env }) {
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('enrollmentHistory', {});
        if (values.json) printJson(reply);
        else
          printTable(
            ['DECIDED', 'OUTCOME', 'DEVICE', 'MEMBER', 'BY', 'REASON'],
            reply.enrollments.map(({ decidedAt, outcome, labelHint, memberName, decidedBy, reason }) => [
              localTime(decidedAt),
              outcome,
              labelHint ?? '',
              memberName ?? '',
              decidedBy ?? '',
              reason ?? '',
            ]),
            'no device was decided on in the last 30 days; "muster enroll pending" lists those that wait',
          );
        return 0;
      },
    },
  },
});

/** Says how a device joins, as the broker can be reached now. */
async function nobodyWaits(client: BrokerClient): Promise<string> {
  const way = joinWay((await client.call('diagnostics', {})).listeners);
  return way.kind === 'closed'
    ? `No device is waiting. ${way.remedy}`
    : `No device is waiting. To join from another machine, run there:\n  ${way.command}\n${way.note}`;
}

const pendingRow = (device: PendingEnrollment): string[] => {
  const { userCode, labelHint, userAgent, sourceIp, createdAt, expiresAt } = device;
  return [
    userCode,
    labelHint ?? '',
    userAgent ?? 'unknown',
    sourceIp ?? 'unknown',
    localTime(createdAt),
    localTime(expiresAt),
  ];
};

/** A person who names permissions wants to grant them, but an existing member has its own. */
function refuseNewMember(values: object): void {
  const option = ['role-title', 'role-description', 'instructions', 'permissions'].find(
    (name) => name in values,
  );
  if (option !== undefined)
    throw new UsageError(`--${option} applies only to a new member. Add --create, or omit the option.`);
}

function newMember(values: {
  'role-title'?: string;
  'role-description'?: string;
  instructions?: string;
  permissions?: string;
}) {
  const { 'role-title': title, 'role-description': description, instructions, permissions } = values;
  if (title === undefined) throw new UsageError('a new member requires --role-title');
  return {
    role: { title, ...(description !== undefined && { description }) },
    ...(instructions !== undefined && { instructions }),
    permissions: listOf(permissions) ?? [],
  };
}
