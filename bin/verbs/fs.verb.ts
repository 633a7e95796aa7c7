/** `muster fs`: the files of the team (specification/files.md). */
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { type Collision, collisions, type FsEntry, FsPath } from '#protocol/files.ts';
import { folderPages, foundFilePages, sharedFilePages } from '#protocol/lists.ts';
import type { Pages } from '#protocol/pages.ts';
import { defineActions } from '../actions.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { downloadInto, downloadTo } from '../files/download.ts';
import { isThere, refuseTaken } from '../files/part-file.ts';
import { sizeText } from '../files/size-text.rules.ts';
import { toStandardOutput } from '../files/standard-output.ts';
import { upload } from '../files/upload.ts';
import { limitOf, listLimit } from '../list-limit.ts';
import { localTime } from '../message-line.ts';
import { print, printJson } from '../output.ts';
import { printPages } from '../print-pages.ts';
import { confirmed } from '../prompt.ts';
import { printTable } from '../table.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

export const verb = defineActions({
  name: 'fs',
  common: ['url', 'token', 'insecure-http', 'json'],
  options: {
    collide: {
      type: 'string',
      value: '<how>',
      help: `what to do if the name is taken: ${collisions.join(', ')} (default: error)`,
    },
    mime: {
      type: 'string',
      value: '<type>',
      help: 'MIME type (default: derived from the file name, or from the beginning of the file)',
    },
    recursive: {
      type: 'boolean',
      short: 'r',
      help: 'rm: with everything in it; mkdir: with missing parent directories',
    },
    yes: { type: 'boolean', help: 'do not ask before the action' },
    ...listLimit,
    force: { type: 'boolean', help: 'replace the local file' },
    ...clientOptions,
    json: {
      type: 'boolean',
      help: 'print the API’s response as JSON; get: { path, local, size }, and nothing with "-"',
    },
  },
  actions: {
    ls: {
      summary: 'list a directory (default: your home)',
      words: ['path?'],
      options: ['limit'],
      async run({ values, env, words: [written] }) {
        const path = written === undefined ? undefined : pathOf(written);
        const max = limitOf(values.limit);
        const { client } = await connectToBroker(values, env);
        const home = path ?? `/${(await client.call('session', {})).member}`;
        await printEntries(folderPages(client, home, { max }), {
          isJson: values.json,
          max,
          whenEmpty: `${oneLine(home)} is empty; "muster fs put" uploads a file`,
          nameOf: ({ name }) => name,
        });
        return 0;
      },
    },
    stat: {
      summary: 'show one file or directory',
      words: ['path'],
      options: [],
      async run({ values, env, words: [written = ''] }) {
        const path = pathOf(written);
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('statFile', { query: { path } });
        if (values.json) printJson(reply);
        else for (const line of factsOf(reply.entry)) print(line);
        return 0;
      },
    },
    get: {
      summary: 'download a file, or resume an interrupted download; "-" is standard output',
      words: ['path', 'local?'],
      options: ['force'],
      example: 'muster fs get /ben/notes.md - | less',
      async run({ values, env, words: [written = '', local] }) {
        const path = pathOf(written);
        if (path === '/') throw new UsageError('name a file, not a directory');
        const target = local === '-' ? null : await targetOf(local, basename(path));
        if (target !== null && !values.force && (await isThere(target))) refuseTaken(target);
        const { http } = await connectToBroker(values, env);
        const download = { http, path, screen: process.stderr };
        if (target === null) {
          await downloadInto(toStandardOutput(), download);
          return 0;
        }
        const size = await downloadTo(target, download, values.force ?? false);
        values.json
          ? printJson({ path, local: target, size })
          : print(`downloaded ${oneLine(path)} to ${oneLine(target)}: ${sizeText(size)}`);
        return 0;
      },
    },
    put: {
      summary: 'upload a file; "-" is standard input; a path that ends with "/" keeps the file name',
      words: ['local', 'path'],
      options: ['collide', 'mime'],
      example: 'muster fs put notes.md /ben/',
      async run({ values, env, words: [local = '', written = ''] }) {
        const path = remoteOf(local, written);
        const collide = collisionOf(values.collide);
        const { http } = await connectToBroker(values, env);
        const reply = await upload(local, {
          http,
          path,
          screen: process.stderr,
          ...(values.mime !== undefined && { mime: values.mime }),
          ...(collide !== undefined && { collide }),
        });
        const { entry, renamed } = reply;
        const note = renamed ? ` (${oneLine(path)} already exists)` : '';
        values.json ? printJson(reply) : print(`stored ${oneLine(entry.path)}: ${kindText(entry)}${note}`);
        return 0;
      },
    },
    mkdir: {
      summary: 'create a directory',
      words: ['path'],
      options: ['recursive'],
      async run({ values, env, words: [written = ''] }) {
        const path = pathOf(written);
        const { client } = await connectToBroker(values, env);
        const { recursive = false } = values;
        const reply = await client.call('makeDirectory', { body: { path, recursive } });
        values.json ? printJson(reply) : print(`created ${oneLine(reply.entry.path)}`);
        return 0;
      },
    },
    rm: {
      summary: 'delete a file or a directory permanently',
      words: ['path'],
      options: ['recursive', 'yes'],
      async run({ values, env, words: [written = ''] }) {
        const path = pathOf(written);
        const what = values.recursive ? `${oneLine(path)} and everything in it` : oneLine(path);
        await confirmed(`Delete ${what} permanently?`, values.yes);
        const { client } = await connectToBroker(values, env);
        await client.call('removeFile', { query: { path, recursive: values.recursive ? 'true' : 'false' } });
        if (!values.json) print(`deleted ${oneLine(path)}`);
        return 0;
      },
    },
    mv: {
      summary: 'move one file; the same members can read it',
      words: ['from', 'to'],
      options: [],
      async run({ values, env, words: [written = '', wanted = ''] }) {
        const from = pathOf(written);
        const to = wanted.endsWith('/') ? pathOf(wanted + basename(from)) : pathOf(wanted);
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('moveFile', { body: { from, to } });
        values.json ? printJson(reply) : print(`moved ${oneLine(from)} to ${oneLine(reply.entry.path)}`);
        return 0;
      },
    },
    shared: {
      summary: 'list the files of others that you may read',
      words: [],
      options: ['limit'],
      async run({ values, env }) {
        const max = limitOf(values.limit);
        const { client } = await connectToBroker(values, env);
        await printEntries(sharedFilePages(client, { max }), {
          isJson: values.json,
          max,
          whenEmpty: 'no files are shared with you',
          nameOf: ({ path }) => path,
        });
        return 0;
      },
    },
    find: {
      summary: 'find files and directories by words in their names',
      words: ['words'],
      options: ['limit'],
      example: 'muster fs find "tide tables"',
      async run({ values, env, words: [q = ''] }) {
        if (q.trim() === '') throw new UsageError('name what to find');
        const { client } = await connectToBroker(values, env);
        await printEntries(foundFilePages(client, q), {
          isJson: values.json,
          max: limitOf(values.limit),
          whenEmpty: 'nothing that you may read has such a name',
          nameOf: ({ path }) => path,
        });
        return 0;
      },
    },
    grants: {
      summary: 'list who may read a file, and since when',
      words: ['path'],
      options: [],
      async run({ values, env, words: [written = ''] }) {
        const path = pathOf(written);
        const { client } = await connectToBroker(values, env);
        const reply = await client.call('fileGrants', { query: { path } });
        if (values.json) printJson(reply);
        else
          printTable(
            ['MEMBER', 'SINCE', 'BY'],
            reply.grants.map(({ member, grantedAt, messageId, objectiveId }) => [
              member,
              localTime(grantedAt),
              objectiveId ?? (messageId === null ? '' : `message ${messageId}`),
            ]),
          );
        return 0;
      },
    },
  },
});

/** macOS returns names decomposed; the broker accepts them composed. @throws UsageError. */
function pathOf(written: string): FsPath {
  const checked = FsPath.safeParse(written.normalize('NFC'));
  if (!checked.success)
    throw new UsageError(`"${oneLine(written)}" is not a valid path: it ${checked.error.issues[0]?.message}`);
  return checked.data;
}

function remoteOf(local: string, written: string): FsPath {
  if (!written.endsWith('/')) return pathOf(written);
  if (local === '-')
    throw new UsageError('standard input requires a file name. Name a file, not a directory.');
  return pathOf(written + basename(local));
}

/** A folder gets the file under its own name. */
async function targetOf(local: string | undefined, name: string): Promise<string> {
  if (local === undefined) return name;
  const isFolder = await stat(local).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(local, name) : local;
}

function collisionOf(how: string | undefined): Collision | undefined {
  const known = collisions.find((one) => one === how);
  if (how !== undefined && known === undefined)
    throw new UsageError(`--collide must be one of ${collisions.join(', ')}`);
  return known;
}

const kindText = ({ kind, size, mimeType }: FsEntry): string =>
  kind === 'directory' ? 'directory' : `${sizeText(size ?? 0)}, ${oneLine(mimeType ?? '')}`;

const factsOf = (entry: FsEntry): string[] => [
  oneLine(entry.path),
  kindText(entry),
  `owner: ${oneLine(entry.owner)}`,
  `created: ${localTime(entry.createdAt)} by ${oneLine(entry.createdBy)}`,
  `changed: ${localTime(entry.updatedAt)}`,
  ...(entry.hash === null ? [] : [`sha256: ${oneLine(entry.hash)}`]),
];

interface PrintedEntries {
  isJson: boolean | undefined;
  max: number | undefined;
  whenEmpty: string;
  nameOf: (entry: FsEntry) => string;
}

const printEntries = (pages: Pages<FsEntry>, { nameOf, ...printed }: PrintedEntries): Promise<void> =>
  printPages(pages, {
    ...printed,
    head: ['NAME', 'SIZE', 'TYPE', 'OWNER', 'CHANGED'],
    cellsOf: (entry) => [
      entry.kind === 'directory' ? `${nameOf(entry)}/` : nameOf(entry),
      entry.size === null ? '' : sizeText(entry.size),
      entry.mimeType ?? '',
      entry.owner,
      localTime(entry.updatedAt),
    ],
    documentOf: (entries) => ({ entries }),
  });
