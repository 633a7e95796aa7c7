/** The team's filesystem. */
import { z } from 'zod';
import { type FsEntry, MimeType } from '#protocol/files.ts';
import { limits } from '#protocol/limits.ts';
import { folderPages, sharedFilePages } from '#protocol/lists.ts';
import { imageTypeOf, textOf, wholeCharacters } from './file-content.rules.ts';
import { after, listedOf } from './long-lists.ts';
import { inLine } from './plain-text.rules.ts';
import { type Caller, defineTool, type Tool, ToolError, type ToolText } from './tool.ts';
import { beside, optional, required } from './tool-input.ts';
import type { WorkFolder } from './work-folder.ts';

const path = required();
/** The broker checks it as well, but a header with a line break cannot be sent. */
const mimeType = required().refine(
  (type) => MimeType.safeParse(type).success,
  'must be a MIME type such as text/plain',
);
const recursive = optional(z.boolean());

const home = ({ briefing }: Caller): string => `/${briefing.name}`;

const pathOf = ({ path: at }: FsEntry): string => at;

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

/** Without `limit`, of a file that is read from `offset` on. */
const defaultPartBytes = 50_000;
/** In base64, an image and its frame must fit one line of the bridge (line-channel.ts). */
const maxImageBytes = 2_500_000;

interface Content {
  path: string;
  bytes: Buffer;
  mimeType: string;
  size: number;
  /** The position at which the bytes begin in the file. */
  offset: number;
  /** An image is base64, as every content that is not text. */
  isSpecified: boolean;
}

/** Text is recognized by its bytes, so that source code with an unknown type is not base64. */
function contentText({ path: at, bytes, mimeType, size, offset, isSpecified }: Content): ToolText {
  const head = `${inLine(at)}: size=${size} mime=${mimeType}`;
  const isEnd = offset + bytes.length >= size;
  const image = offset === 0 && isEnd && !isSpecified ? imageTypeOf(bytes) : null;
  if (image !== null && bytes.length <= maxImageBytes)
    return { text: head, images: [{ data: bytes.toString('base64'), mimeType: image }] };
  const { from, to } = wholeCharacters(bytes, offset === 0, isEnd);
  const part = bytes.subarray(from, to);
  const text = textOf(part) ?? (isText(mimeType) ? part.toString('utf8') : null);
  const shown = text === null ? bytes.length : to;
  const rest = isEnd
    ? []
    : [`up to byte ${offset + shown} of ${size}; read on with offset=${offset + shown}`];
  return { text: `${head}\n${text ?? bytes.toString('base64')}`, notes: rest };
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

interface Source {
  text?: string | undefined;
  base64?: string | undefined;
  fromFile?: string | undefined;
}

async function bytesOf({ text, base64: encoded, fromFile }: Source, folder: WorkFolder): Promise<Buffer> {
  const isOne = [text, encoded, fromFile].filter((one) => one !== undefined).length === 1;
  if (!isOne) throw new ToolError('fs_write: exactly one of text and base64 is required');
  if (text !== undefined) return Buffer.from(text, 'utf8');
  if (fromFile !== undefined) return folder.read(fromFile, limits.maxFileSize);
  const compact = (encoded ?? '').replaceAll(/\s/g, '');
  if (!base64.test(compact)) throw new ToolError('fs_write: base64: is not valid base64');
  return Buffer.from(compact, 'base64');
}

export const fileTools: readonly Tool[] = [
  defineTool({
    name: 'fs_ls',
    describe: (caller) => `List a team directory. Your home: ${home(caller)}`,
    input: z.object({ path: optional(z.string(), 'default: home'), after }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ path: at, after: last }, { broker, briefing, isSpecified }) {
      const directory = at ?? `/${briefing.name}`;
      const pages = folderPages(broker, directory, { after: last });
      const { items, notes } = await listedOf(pages, { tool: 'fs_ls', keyOf: pathOf, isSpecified });
      return { text: lines(`${inLine(directory)}:`, items), notes };
    },
  }),
  defineTool({
    name: 'fs_stat',
    describe: () => 'Get a file’s size, type, and owner.',
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
    describe: () => 'Read a team file, or save it in your working folder.',
    input: z.object({
      path,
      offset: beside(z.int().min(0), 'bytes'),
      limit: beside(z.int().min(1)),
      saveTo: beside(z.string(), 'local path'),
      overwrite: beside(z.boolean()),
    }),
    readOnly: 'as specified',
    destructive: true,
    idempotent: true,
    isLong: true,
    async run({ path: at, offset, limit, saveTo, overwrite }, { broker, workFolder, isSpecified }) {
      if (saveTo !== undefined) {
        if ((offset ?? limit) !== undefined)
          throw new ToolError('fs_read: pass saveTo, or offset and limit, not both');
        const { bytes } = await broker.readFile(at, null);
        const saved = await workFolder.save(saveTo, bytes, overwrite ?? false);
        return `saved ${inLine(at)} to ${inLine(saved)}: size=${bytes.length}`;
      }
      const isPart = (offset ?? limit) !== undefined;
      const part = isPart ? { offset: offset ?? 0, limit: limit ?? defaultPartBytes } : null;
      const read = await broker.readFile(at, part);
      return contentText({ path: at, offset: part?.offset ?? 0, ...read, isSpecified });
    },
  }),
  defineTool({
    name: 'fs_write',
    describe: () => 'Write a team file.',
    input: z.object({
      path,
      mimeType,
      text: optional(z.string()),
      base64: optional(z.string()),
      fromFile: beside(z.string(), 'local path'),
      collide: optional(z.enum(['error', 'suffix', 'overwrite'])),
    }),
    readOnly: false,
    destructive: true,
    idempotent: false,
    async run({ path: at, mimeType, collide, ...source }, { broker, workFolder }) {
      const bytes = await bytesOf(source, workFolder);
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
    describe: () => 'List files shared with you.',
    input: z.object({ after }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ after: last }, { broker, isSpecified }) {
      const pages = sharedFilePages(broker, { after: last });
      const { items, notes } = await listedOf(pages, { tool: 'fs_shared', keyOf: pathOf, isSpecified });
      return { text: lines('files shared with you:', items), notes };
    },
  }),
];
