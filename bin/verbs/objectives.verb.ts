/** `muster objectives`: units of work, their assignees, and their results (specification/objectives.md). */
import { ConnectionError } from '#client/connection-error.ts';
import { limits } from '#protocol/limits.ts';
import { objectivePages } from '#protocol/lists.ts';
import type { Message } from '#protocol/message.ts';
import {
  NewObjective,
  type Objective,
  ObjectiveCancellation,
  ObjectiveCompletion,
  ObjectiveParams,
  ObjectivePatch,
  ObjectiveReassignment,
  type ObjectiveStatus,
  ObjectivesQuery,
  WatcherPatch,
} from '#protocol/objective.ts';
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import { defineActions } from '../actions.ts';
import { teamPathsOf, withUploads } from '../attached-files.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { attachedPaths, given, listOf, memberOf, refuseUnfit } from '../checked-input.ts';
import { CommandFailure } from '../command-failure.ts';
import { limitOf, listLimit } from '../list-limit.ts';
import { localTime } from '../message-line.ts';
import { objectiveCells, objectiveHeads, objectiveText } from '../objective-text.ts';
import { checkedKey, heldLine, readOutgoing } from '../outgoing-message.ts';
import { print, printJson } from '../output.ts';
import { printPages } from '../print-pages.ts';
import { confirmed } from '../prompt.ts';
import { sentences } from '../sentences.ts';
import { block, oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

/** Posts of the thread that `view` shows; its notices are the audit log. */
const shownPosts = 20;
const maxPosts = limits.history.pageMax;

const postLine = ({ ts, from, body }: Message): string => `${localTime(ts)} ${oneLine(from)}: ${block(body)}`;

const statusHelp = 'list: active, blocked, done, or cancelled; update: active or blocked';

export const verb = defineActions({
  name: 'objectives',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: {
    assignee: { type: 'string', value: '<member>', help: 'member who works on it' },
    status: { type: 'string', value: '<status>', help: statusHelp },
    originator: { type: 'string', value: '<member>', help: 'member who created it' },
    limit: {
      ...listLimit.limit,
      help: `list: maximum number, from 1 on (default: all); view: newest entries of the thread, 1 to ${maxPosts} (default: ${shownPosts})`,
    },
    before: { type: 'string', value: '<objective>', help: 'only objectives created before this one' },
    outcome: { type: 'string', value: '<text>', help: 'the tangible, verifiable result' },
    details: { type: 'string', value: '<text>', help: 'further details' },
    watchers: { type: 'string', value: '<members>', help: 'comma-separated members who follow it' },
    attach: {
      type: 'string',
      value: '<list>',
      help: 'comma-separated files to attach: paths of the team begin with "/", others are uploaded to your home',
    },
    title: { type: 'string', value: '<title>', help: 'title of the post' },
    stdin: { type: 'boolean', help: 'read the post from standard input' },
    reason: { type: 'string', value: '<text>', help: 'reason for blocking or canceling it' },
    note: { type: 'string', value: '<text>', help: 'note for the new assignee' },
    yes: { type: 'boolean', help: 'do not ask before canceling it' },
    add: { type: 'string', value: '<members>', help: 'comma-separated members to add' },
    remove: { type: 'string', value: '<members>', help: 'comma-separated members to remove' },
    'idempotency-key': {
      type: 'string',
      value: '<key>',
      help: 'a command that is repeated with the same key within a day takes effect once',
    },
    ...clientOptions,
  },
  actions: {
    list: {
      summary: 'list objectives, newest first',
      words: [],
      options: ['assignee', 'originator', 'status', 'limit', 'before'],
      async run({ values, env }) {
        const { assignee, originator, before } = values;
        const max = limitOf(values.limit);
        const query = given({ assignee, originator, status: statusOf(values.status), before });
        refuseUnfit(ObjectivesQuery, query);
        const { client } = await connectToBroker(values, env);
        await printPages(objectivePages(client, query, { max }), {
          isJson: values.json,
          max,
          head: objectiveHeads,
          cellsOf: objectiveCells,
          whenEmpty: 'no objectives match; "muster objectives create" creates one',
          documentOf: (objectives) => ({ objectives }),
        });
        return 0;
      },
    },
    view: {
      summary: 'show an objective, its audit log, and its thread',
      words: ['objective'],
      options: ['limit'],
      async run({ values, env, words: [id = ''] }) {
        const params = named(id);
        const limit = limitOf(values.limit) ?? shownPosts;
        if (limit > maxPosts) throw new UsageError(`--limit must be a number from 1 to ${maxPosts}`);
        if (values.json && values.limit !== undefined)
          throw new UsageError('--limit does not apply to --json of an objective');
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('objective', { params });
        if (values.json) {
          printJson(reply);
          return 0;
        }
        print(objectiveText(reply));
        const { messages } = await client.call('history', { query: { objective: id, limit: String(limit) } });
        const posts = messages.toReversed().filter(({ data }) => data.event === undefined);
        if (posts.length > 0) print(`\n${posts.map(postLine).join('\n')}`);
        return 0;
      },
    },
    create: {
      summary: 'create an objective for --assignee',
      words: ['title'],
      options: ['assignee', 'outcome', 'details', 'watchers', 'attach', 'idempotency-key'],
      example:
        'muster objectives create "Write the release notes" --assignee ben --outcome "The notes are in the repository"',
      async run({ values, env, words: [title = ''] }) {
        const { assignee, outcome, details, watchers } = values;
        const attach = attachedPaths(values.attach);
        if (assignee === undefined)
          throw new UsageError('--assignee is required. Name the member who works on the objective.');
        if (outcome === undefined)
          throw new UsageError('--outcome is required. Describe the result that completes the objective.');
        const body = {
          title,
          outcome,
          assignee,
          ...given({
            body: details,
            watchers: listOf(watchers)?.map(memberOf),
          }),
        };
        const checked = { ...body, ...given({ attachments: teamPathsOf(attach) }) };
        refuseUnfit(NewObjective, checked, { body: 'details', attachments: 'attach' });
        const key = checkedKey(values['idempotency-key']);
        const connection = await connectToBroker(values, env);
        const headers = { 'idempotency-key': key };
        const whole = { ...body, ...given({ attachments: await withUploads(connection, attach) }) };
        const reply = await onceOnly(key, () =>
          connection.client.call('createObjective', { body: whole, headers }),
        );
        show(
          reply,
          values.json,
          `created ${oneLine(reply.id)} assigned to ${oneLine(reply.assignee)}: ${oneLine(reply.title)}`,
        );
        return 0;
      },
    },
    update: {
      summary: 'block an objective with --reason, change the reason, or make it active again',
      words: ['objective'],
      options: ['status', 'reason'],
      example: 'muster objectives update obj_0123456789 --status blocked --reason "The build fails"',
      async run({ values, env, words: [id = ''] }) {
        const params = named(id);
        if (values.status === undefined && values.reason === undefined)
          throw new UsageError('nothing to change. Pass --status, --reason, or both.');
        if (values.status === 'blocked' && values.reason === undefined)
          throw new UsageError('--reason is required with --status blocked. Say what blocks the objective.');
        const body = given({ status: values.status, blockReason: values.reason });
        refuseUnfit(ObjectivePatch, body, { blockReason: 'reason' });
        const { client } = await connectToBroker(values, env);
        // The schema above has checked that the status is one of the two.
        const reply = await client.call('updateObjective', { params, body: ObjectivePatch.parse(body) });
        show(reply, values.json, `updated ${oneLine(reply.id)}: status=${reply.status}`);
        return 0;
      },
    },
    discuss: {
      summary: 'post in the thread of an objective',
      words: ['objective', 'text...'],
      options: ['title', 'stdin', 'attach', 'idempotency-key'],
      example: 'muster objectives discuss obj_0123456789 "The draft is ready."',
      async run({ values, env, words: [id = '', ...words] }) {
        const params = named(id);
        const { title, stdin } = values;
        const sent = given({ title, stdin, 'idempotency-key': values['idempotency-key'] });
        const { payload, attach, key } = await readOutgoing(
          words,
          { ...sent, ...given({ attach: values.attach }) },
          `discuss ${id}`,
        );
        const connection = await connectToBroker(values, env);
        const attachments = await withUploads(connection, attach);
        const body = { body: payload.body, ...given({ title, attachments }) };
        const headers = { 'idempotency-key': key };
        const reply = await onceOnly(key, () =>
          connection.client.call('discussObjective', { params, body, headers }),
        );
        values.json
          ? printJson(reply)
          : print(
              reply.held === undefined
                ? `posted to objective ${oneLine(id)} thread: msg=${oneLine(reply.id)}`
                : heldLine(reply.held.id),
            );
        return 0;
      },
    },
    complete: {
      summary: 'complete an objective with its result',
      words: ['objective', 'result...'],
      options: [],
      async run({ values, env, words: [id = '', ...words] }) {
        const params = named(id);
        if (words.length === 0) throw new UsageError('there is no result. Write it after the id.');
        const body = { result: words.join(' ') };
        refuseUnfit(ObjectiveCompletion, body, { result: null });
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('completeObjective', { params, body });
        show(
          reply,
          values.json,
          `completed ${oneLine(reply.id)}; the broker notifies ${oneLine(reply.originator)}, who created it`,
        );
        return 0;
      },
    },
    cancel: {
      summary: 'cancel an objective',
      words: ['objective'],
      options: ['reason', 'yes'],
      async run({ values, env, words: [id = ''] }) {
        const params = named(id);
        await confirmed(`Cancel ${id}? It cannot be opened again.`, values.yes);
        const body = given({ reason: values.reason });
        refuseUnfit(ObjectiveCancellation, body);
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('cancelObjective', { params, body });
        show(reply, values.json, `canceled ${oneLine(reply.id)}: ${oneLine(reply.title)}`);
        return 0;
      },
    },
    reassign: {
      summary: 'assign an objective to another member',
      words: ['objective', 'member'],
      options: ['note'],
      async run({ values, env, words: [id = '', to = ''] }) {
        const params = named(id);
        const body = { to, ...given({ note: values.note }) };
        refuseUnfit(ObjectiveReassignment, body, { to: null });
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('reassignObjective', { params, body });
        show(
          reply,
          values.json,
          `reassigned ${oneLine(reply.id)} to ${oneLine(reply.assignee)}: ${oneLine(reply.title)}`,
        );
        return 0;
      },
    },
    watchers: {
      summary: 'change who follows an objective',
      words: ['objective'],
      options: ['add', 'remove'],
      example: 'muster objectives watchers obj_0123456789 --add ada,ben --remove cleo',
      async run({ values, env, words: [id = ''] }) {
        const params = named(id);
        if (values.add === undefined && values.remove === undefined)
          throw new UsageError('nothing to change. Pass --add, --remove, or both.');
        const body = given({
          add: listOf(values.add)?.map(memberOf),
          remove: listOf(values.remove)?.map(memberOf),
        });
        refuseUnfit(WatcherPatch, body);
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('updateWatchers', { params, body });
        const names = reply.watchers.map(oneLine).join(', ') || 'none';
        show(reply, values.json, `updated ${oneLine(reply.id)} watchers: ${names}`);
        return 0;
      },
    },
  },
});

function show(objective: Objective, json: boolean | undefined, sentence: string): void {
  json ? printJson(objective) : print(sentence);
}

function named(id: string): { id: string } {
  if (ObjectiveParams.safeParse({ id }).success) return { id };
  throw new UsageError(
    `"${id}" is not an objective id such as obj_0123456789. Run "muster objectives list" to find the id.`,
  );
}

function statusOf(status: string | undefined): ObjectiveStatus | undefined {
  const known = objectiveStatuses.find((one) => one === status);
  if (status !== undefined && known === undefined)
    throw new UsageError(`--status must be one of ${objectiveStatuses.join(', ')}`);
  return known;
}

/** Repeated with the same key, an action that may have happened happens once. */
async function onceOnly<T>(key: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ConnectionError && error.mayHaveArrived)
      throw new CommandFailure(
        sentences(
          error.message,
          `The change may have been made. Repeat the command with --idempotency-key ${key} to make it exactly once.`,
        ),
      );
    throw error;
  }
}
