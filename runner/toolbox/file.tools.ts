/** The team's filesystem. */
import { z } from 'zod';
import type { FsEntry } from '#protocol/files.ts';
import { inLine } from './plain-text.ts';
import { type Caller, defineTool, type Tool, ToolError } from './tool.ts';
import { optional, required } from './tool-input.ts';

const path = required('an absolute path on the team filesystem');
const recursive = (description: string) => optional(z.boolean(), description);

const home = ({ briefing }: Caller): string => `/${briefing.name}`;

function entryLine({ path: at, kind, size, mimeType, owner }: FsEntry): string {
  if (kind === 'directory') return `- ${inLine(at)}/ (directory, owner ${owner})`;
  return `- ${inLine(at)} (${size} bytes, ${mimeType}, owner ${owner})`;
}

const lines = (header: string, entries: readonly FsEntry[]): string =>
  [header, ...(entries.length === 0 ? ['(nothing)'] : entries.map(entryLine))].join('\n');

const isText = (mimeType: string): boolean => {
  const [type = ''] = mimeType.toLowerCase().split(';');
  return /^text\//.test(type.trim()) || /^application\/(?:json|xml)$/.test(type.trim());
};

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function bytesOf(text: string | undefined, encoded: string | undefined): Buffer {
  if ((text === undefined) === (encoded === undefined))
    throw new ToolError('fs_write: exactly one of text and base64 is required');
  if (text !== undefined) return Buffer.from(text, 'utf8');
  const compact = (encoded ?? '').replaceAll(/\s/g, '');
  if (!base64.test(compact)) throw new ToolError('fs_write: base64: is not valid base64');
  return Buffer.from(compact, 'base64');
}

export const fileTools: readonly Tool[] = [
  defineTool({
    name: 'fs_ls',
    title: 'List files',
    describe: (caller) =>
      `List a directory of the team filesystem. Your home is ${home(caller)}, and / lists every home that you can see.`,
    input: z.object({ path: optional(z.string(), 'an absolute path (default: your home)') }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ path: at }, { broker, briefing }) {
      const directory = at ?? `/${briefing.name}`;
      const { entries } = await broker.call('listFiles', { query: { path: directory } });
      return lines(`${inLine(directory)}:`, entries);
    },
  }),
  defineTool({
    name: 'fs_stat',
    title: 'Get file details',
    describe: () => 'Check whether a file or directory exists, and get its size, type, and owner.',
    input: z.object({ path }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ path: at }, { broker }) {
      const found = await broker.find('statFile', { query: { path: at } });
      return found === null ? `${inLine(at)}: not found` : entryLine(found.entry);
    },
  }),
  defineTool({
    name: 'fs_read',
    title: 'Read a file',
    describe: () => 'Read a file that you own, or one that was shared with you as an attachment.',
    input: z.object({ path }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ path: at }, { broker }) {
      const { bytes, mimeType } = await broker.readFile(at);
      const head = `${inLine(at)}: size=${bytes.length} mime=${mimeType}`;
      return `${head}\n${bytes.toString(isText(mimeType) ? 'utf8' : 'base64')}`;
    },
  }),
  defineTool({
    name: 'fs_write',
    title: 'Write a file',
    describe: (caller) =>
      `Write a file under ${home(caller)}. Missing directories are created. To share the file, attach its path to a message.`,
    input: z.object({
      path,
      mimeType: required('the MIME type, for example text/markdown'),
      text: optional(z.string(), 'the content as text; pass either text or base64'),
      base64: optional(z.string(), 'the content in base64'),
      collide: optional(
        z.enum(['error', 'suffix', 'overwrite']),
        'what to do if the file exists (default: error)',
      ),
    }),
    readOnly: false,
    destructive: true,
    idempotent: false,
    async run({ path: at, mimeType, text, base64: encoded, collide }, { broker }) {
      const bytes = bytesOf(text, encoded);
      const { entry, renamed } = await broker.writeFile({ path: at, mime: mimeType, collide }, bytes);
      const note = renamed ? ` (renamed: ${inLine(at)} already exists)` : '';
      return `wrote ${inLine(entry.path)}: size=${entry.size} mime=${entry.mimeType}${note}`;
    },
  }),
  defineTool({
    name: 'fs_mkdir',
    title: 'Create a directory',
    describe: (caller) => `Create a directory under ${home(caller)}.`,
    input: z.object({ path, recursive: recursive('also create missing parent directories') }),
    readOnly: false,
    destructive: false,
    idempotent: true,
    async run({ path: at, recursive: whole }, { broker }) {
      const { entry } = await broker.call('makeDirectory', { body: { path: at, recursive: whole ?? false } });
      return `mkdir ${inLine(entry.path)}`;
    },
  }),
  defineTool({
    name: 'fs_rm',
    title: 'Delete a file',
    describe: () => 'Delete a file, or a directory with everything in it. This cannot be undone.',
    input: z.object({ path, recursive: recursive('required for a directory that is not empty') }),
    readOnly: false,
    destructive: true,
    idempotent: false,
    async run({ path: at, recursive: whole }, { broker }) {
      await broker.call('removeFile', { query: { path: at, recursive: whole === true ? 'true' : 'false' } });
      return `rm ${inLine(at)}`;
    },
  }),
  defineTool({
    name: 'fs_mv',
    title: 'Move a file',
    describe: () => 'Move or rename one file. Its grants stay with it.',
    input: z.object({ from: required('the present absolute path'), to: required('the new absolute path') }),
    readOnly: false,
    destructive: false,
    idempotent: false,
    async run({ from, to }, { broker }) {
      await broker.call('moveFile', { body: { from, to } });
      return `mv ${inLine(from)} → ${inLine(to)}`;
    },
  }),
  defineTool({
    name: 'fs_shared',
    title: 'List files shared with you',
    describe: () => 'List the files that others shared with you as attachments.',
    input: z.object({}),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run(_, { broker }) {
      const { entries } = await broker.call('sharedFiles', {});
      return lines('files shared with you:', entries);
    },
  }),
];
