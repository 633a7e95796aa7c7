/**
 * The broker as tools see it: every refusal becomes `broker error <status>: <body>` as received
 * (specification/runner.md#toolbox-rules).
 */
import type { HttpClient } from '#client/http-client.ts';
import type { ExchangeReply } from '#client/http-exchange.ts';
import { reasonOf } from '#platform/error-text.ts';
import type { CallInput } from '#protocol/client.ts';
import { answerOf, requestOf } from '#protocol/client.ts';
import type { FsEntry } from '#protocol/files.ts';
import type { OperationId, Reply } from '#protocol/operations.ts';
import { ToolError } from './tool.ts';

export interface BrokerCalls {
  /** @throws ToolError. */
  call<Id extends OperationId>(id: Id, input: CallInput<Id>): Promise<Reply<Id>>;
  /** Like call; null for a 404. */
  find<Id extends OperationId>(id: Id, input: CallInput<Id>): Promise<Reply<Id> | null>;
  /** All of a file, or a part; `size` is that of the file. */
  readFile(path: string, part: FilePart | null): Promise<{ bytes: Buffer; size: number; mimeType: string }>;
  writeFile(
    request: { path: string; mime: string; collide: string | undefined },
    bytes: Buffer,
  ): Promise<Reply<'writeFile'>>;
  /**
   * Each path once. @throws ToolError for the first one that is missing, unreadable, or a directory
   * (specification/runner.md#toolbox-rules).
   */
  resolveAttachments(paths: readonly string[] | undefined): Promise<string[]>;
}

export interface FilePart {
  /** Of its first byte. */
  offset: number;
  /** In bytes. */
  limit: number;
}

const rangeOf = ({ offset, limit }: FilePart): string => `bytes=${offset}-${offset + limit - 1}`;

const refusal = (status: number, body: string): ToolError =>
  new ToolError(`broker error ${status}: ${body}`, { cause: status });

const isFailure = (status: number): boolean => status < 200 || status > 299;

const fileTimeoutMs = 120_000;

export function createBrokerCalls(http: HttpClient): BrokerCalls {
  async function ask(id: OperationId, input: object): Promise<{ status: number; body: string }> {
    try {
      const reply = await http.send(requestOf(id, input));
      return { status: reply.status, body: await reply.text() };
    } catch (error) {
      throw new ToolError(reasonOf(error), { cause: error });
    }
  }

  function parsed(status: number, body: string): unknown {
    if (body === '') return undefined;
    try {
      return answerOf(status, body);
    } catch (error) {
      throw new ToolError(reasonOf(error));
    }
  }

  async function open(id: OperationId, input: object, body?: Buffer, mime?: string): Promise<ExchangeReply> {
    try {
      const request = requestOf(id, input);
      if (mime !== undefined) request.headers['content-type'] = mime;
      const wire = body === undefined ? request : { ...request, body: Uint8Array.from(body) };
      return await http.open(wire, AbortSignal.timeout(fileTimeoutMs));
    } catch (error) {
      throw new ToolError(reasonOf(error));
    }
  }

  async function statOf(path: string): Promise<FsEntry | null> {
    const { status, body } = await ask('statFile', { query: { path } });
    if (status === 404 || status === 403) return null;
    if (isFailure(status)) throw refusal(status, body);
    return (parsed(status, body) as Reply<'statFile'>).entry;
  }

  return {
    async call(id, input) {
      const { status, body } = await ask(id, input);
      if (isFailure(status)) throw refusal(status, body);
      return parsed(status, body) as never;
    },
    async find(id, input) {
      const { status, body } = await ask(id, input);
      if (status === 404) return null;
      if (isFailure(status)) throw refusal(status, body);
      return parsed(status, body) as never;
    },
    async readFile(path, part) {
      const headers = part === null ? {} : { headers: { range: rangeOf(part) } };
      const response = await open('readFile', { params: { '*': path.replace(/^\//, '') }, ...headers });
      if (isFailure(response.status)) throw refusal(response.status, await response.text());
      const bytes = await response.bytes();
      const [, whole] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
      const size = whole === undefined ? bytes.length : Number(whole);
      return { bytes, size, mimeType: response.headers.get('content-type') ?? 'application/octet-stream' };
    },
    async writeFile({ path, mime, collide }, bytes) {
      const response = await open('writeFile', { query: { path, mime, collide } }, bytes, mime);
      const body = await response.text();
      if (isFailure(response.status)) throw refusal(response.status, body);
      return parsed(response.status, body) as Reply<'writeFile'>;
    },
    async resolveAttachments(paths = []) {
      const each = [...new Set(paths)];
      for (const path of each) {
        const entry = await statOf(path);
        if (entry === null) throw new ToolError(`attachment not found: ${path}`);
        if (entry.kind === 'directory') throw new ToolError(`attachment is a directory: ${path}`);
      }
      return each;
    },
  };
}
