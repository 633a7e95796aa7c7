/** A broker with files, and short ways to use its filesystem as a member. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { FsEntry, FsWritten } from '#protocol/files.ts';
import { startTestBroker, type TestBroker, type TestBrokerOptions } from '../../../testing/test-broker.ts';

type Query = Record<string, string>;
type Body = string | Uint8Array<ArrayBuffer>;

export interface FileTeam extends TestBroker {
  filesRoot: string;
  /** Restarts, and waits until the files are swept, however long that takes. */
  restartSwept(): Promise<void>;
  /** POST /fs/write. Returns the raw response. */
  put(
    member: string,
    path: string,
    body: Body,
    query?: Query,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** The same, which must succeed. */
  write(member: string, path: string, body: Body, query?: Query): Promise<FsWritten>;
  /** GET /fs/read of a path whose segments this encodes. */
  get(member: string | null, path: string, headers?: Record<string, string>): Promise<Response>;
  /** GET or DELETE with `path` and further query parameters. */
  ask(
    member: string,
    operation: 'ls' | 'stat' | 'rm' | 'grants' | 'shared',
    path: string,
    query?: Query,
  ): Promise<Response>;
  post(member: string, operation: 'mkdir' | 'mv', body: unknown): Promise<Response>;
  /** The names in a directory, directories with a slash. */
  names(member: string, path: string): Promise<string[]>;
  share(from: string, to: string | null, ...attachments: string[]): Promise<Response>;
  /** The hashes in the blob folder. */
  blobs(): Promise<string[]>;
  /** Uploads in progress, or left behind. */
  incoming(): Promise<string[]>;
}

export const addressOf = (path: string): string =>
  `/fs/read${path
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/')}`;

export async function blobsIn(root: string): Promise<string[]> {
  const found = await readdir(root, { recursive: true });
  return found.filter((name) => /^[0-9a-f]{2}.[0-9a-f]{64}$/.test(name)).map((name) => name.slice(3));
}

export async function startFileTeam({
  maxFileSize = 1024 * 1024,
  root = 'files',
  files = {},
  ...options
}: TestBrokerOptions & {
  maxFileSize?: number;
  root?: string;
  /** Further fields of the `files` block. */
  files?: object;
} = {}): Promise<FileTeam> {
  const team = await startTestBroker({
    ...options,
    config: { ...options.config, files: { root, maxFileSize, ...files } },
  });
  const filesRoot = root.startsWith('/') ? root : join(team.folder, root);
  const put: FileTeam['put'] = (member, path, body, query = {}, headers = {}) =>
    team.fetch(member, `/fs/write?${new URLSearchParams({ path, ...query })}`, {
      method: 'POST',
      body,
      headers,
    });
  const ask: FileTeam['ask'] = (member, operation, path, query = {}) =>
    team.fetch(member, `/fs/${operation}?${new URLSearchParams({ path, ...query })}`, {
      method: operation === 'rm' ? 'DELETE' : 'GET',
    });
  const json = { 'content-type': 'application/json' };
  // Keeps the team's own getters, because `broker` is another object after a restart.
  return Object.assign(team, {
    filesRoot,
    async restartSwept() {
      await team.broker.close();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        await team.restart();
      } finally {
        vi.useRealTimers();
      }
    },
    put,
    ask,
    async write(member: string, path: string, body: Body, query?: Query) {
      const reply = await put(member, path, body, query);
      const answer = await reply.text();
      if (reply.status !== 200) throw new Error(`writing ${path} answered ${reply.status}: ${answer}`);
      return JSON.parse(answer) as FsWritten;
    },
    get: (member: string | null, path: string, headers: Record<string, string> = {}) =>
      team.fetch(member, addressOf(path), { headers }),
    post: (member: string, operation: string, body: unknown) =>
      team.fetch(member, `/fs/${operation}`, { method: 'POST', body: JSON.stringify(body), headers: json }),
    async names(member: string, path: string) {
      const reply = await ask(member, 'ls', path);
      if (reply.status !== 200) throw new Error(`ls ${path} answered ${reply.status}`);
      const { entries } = (await reply.json()) as { entries: FsEntry[] };
      return entries.map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name));
    },
    share: (from: string, to: string | null, ...attachments: string[]) =>
      team.fetch(from, '/push', {
        method: 'POST',
        body: JSON.stringify({ to, body: 'see', attachments }),
        headers: json,
      }),
    blobs: () => blobsIn(filesRoot),
    incoming: () => readdir(join(filesRoot, '.incoming')),
  });
}
