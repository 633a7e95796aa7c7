/** The team's filesystem. */
import { z } from 'zod';
import type { FsEntry } from '#protocol/files.ts';
import { inLine } from './plain-text.ts';
import { type Caller, defineTool, type Tool, ToolError } from './tool.ts';
import { optional, required } from './tool-input.ts';

const path = required();
const recursive = optional(z.boolean());

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
    describe: (caller) => `List a directory of the team filesystem. Your home: ${home(caller)}`,
    input: z.object({ path: optional(z.string(), 'default: home') }),
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
    describe: () => 'Get a team file’s size, type, and owner.',
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
    describe: () => 'Read a team file.',
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
    describe: () => 'Write a team file from text or base64.',
    input: z.object({
      path,
      mimeType: required(),
      text: optional(z.string()),
      base64: optional(z.string()),
      collide: optional(z.enum(['error', 'suffix', 'overwrite']), 'if it exists'),
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
    describe: () => 'Create a team directory.',
    input: z.object({ path, recursive: recursive }),
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
    describe: () => 'Delete a team file or directory.',
    input: z.object({ path, recursive: recursive }),
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
    describe: () => 'Move or rename a team file.',
    input: z.object({ from: path, to: path }),
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
    describe: () => 'List team files shared with you.',
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
