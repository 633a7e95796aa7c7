/**
 * `codex app-server` over its standard input and output: JSON lines as in JSON-RPC, without the field
 * `jsonrpc`.
 */
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { splitLines } from '../../process/line-splitter.ts';
import { AgentError } from '../agent.ts';

const Id = z.union([z.int(), z.string()]);

/** A response, request, or notification of the server; it may have further fields. */
const FromServer = z.object({
  id: Id.optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

export interface AppServer {
  /**
   * Resolves with the server's answer, read by `schema`. @throws AgentError if it refuses, is silent for too
   * long, or is gone.
   */
  ask<Answer>(method: string, params: object, schema: z.ZodType<Answer>): Promise<Answer>;
  notify(method: string): void;
}

export interface AppServerDeps {
  input: Writable;
  output: Readable;
  /** How long an answer may take. */
  answerTimeoutMs: number;
  onNotification(method: string, params: unknown): void;
  /** Answers a request of the server; null to say that nobody can answer it. */
  onRequest(method: string, params: unknown): object | null;
  onNoise(line: string): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: AgentError): void;
}

const methodNotFound = -32_601;

export function createAppServer(deps: AppServerDeps): AppServer {
  const { input, output, answerTimeoutMs, onNotification, onRequest, onNoise } = deps;
  const waiting = new Map<number | string, Waiting>();
  let nextId = 1;
  let isGone = false;

  const send = (value: object): void => void input.write(`${JSON.stringify(value)}\n`);

  function handleLine(line: string): void {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      onNoise(line);
      return;
    }
    const read = FromServer.safeParse(value);
    if (!read.success) {
      onNoise(line);
      return;
    }
    const { id, method, params, result, error } = read.data;
    if (method !== undefined && id !== undefined) {
      const answer = onRequest(method, params);
      const unable = { code: methodNotFound, message: `this client does not answer ${method}` };
      send(answer === null ? { id, error: unable } : { id, result: answer });
    } else if (method !== undefined) onNotification(method, params);
    else if (id !== undefined) {
      const call = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) call?.resolve(result);
      else call?.reject(new AgentError(`Codex refused the request: ${error.message}`));
    }
  }

  function lose(): void {
    isGone = true;
    for (const { reject } of waiting.values()) reject(new AgentError('Codex has ended'));
    waiting.clear();
  }

  output.on('data', splitLines(handleLine)).once('close', lose);

  return {
    ask(method, params, schema) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        if (isGone) {
          reject(new AgentError('Codex has ended'));
          return;
        }
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new AgentError(`Codex did not answer ${method} within ${answerTimeoutMs / 1000} s`));
        }, answerTimeoutMs);
        waiting.set(id, {
          resolve(value) {
            clearTimeout(timer);
            const answer = schema.safeParse(value);
            if (answer.success) resolve(answer.data);
            else reject(new AgentError(`Codex answered ${method} in a form that this version does not know`));
          },
          reject(error) {
            clearTimeout(timer);
            reject(error);
          },
        });
        send({ id, method, params });
      });
    },
    notify: (method) => send({ method }),
  };
}
