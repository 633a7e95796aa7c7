/** The exporter of the SDK, which can be cut off, and which says in the log that it could not export. */
import { readFile } from 'node:fs/promises';
import type { Agent } from 'node:http';
import type { AgentOptions } from 'node:https';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { codeOf, codeText, reasonOf } from '#platform/error-text.ts';
import type { BoundedWarning } from '../runtime/bounded-warnings.ts';
import { requestScope } from '../runtime/request-scope.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import type { NamedFile, TraceSettings } from './trace-settings.ts';

export interface ExporterDeps {
  settings: Pick<TraceSettings, 'url' | 'protocol' | 'timeoutMs' | 'files'>;
  warn: BoundedWarning;
  /** Ends its connections, and those that it begins afterwards. */
  signal: AbortSignal;
}

export const maxCauseLength = 200;

async function read(file: NamedFile | null): Promise<Buffer | undefined> {
  if (file === null) return undefined;
  try {
    return await readFile(file.path);
  } catch (error) {
    throw new StartUpError(
      `${file.variable} names "${file.path}", which cannot be read (${codeText(error)}). Correct the path, or unset it.`,
    );
  }
}

/** The system's code, the status, or what the SDK says; never the text of a reply. */
function causeOf(error: Error & { code?: unknown }): string {
  if (typeof error.code === 'number') return `status ${error.code}`;
  return codeOf(error) ?? reasonOf(error).slice(0, maxCauseLength);
}

/**
 * Returns an agent whose connections end with the signal. It listens for all of them once: Node never takes
 * the listener of a socket off a signal, so each would stay in memory with what it read.
 */
function createCutOffAgent(url: string, options: AgentOptions, signal: AbortSignal): Agent {
  // Not imported by name: ADR 0013.
  const { Agent } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  const agent = new Agent(options);
  const cut = () => {
    agent.destroy();
    agent.createConnection = () => {
      throw signal.reason;
    };
  };
  signal.addEventListener('abort', cut, { once: true });
  return agent;
}

/** @throws StartUpError for a file that cannot be read. */
export async function createExporter({ settings, warn, signal }: ExporterDeps): Promise<SpanExporter> {
  const { url, protocol, timeoutMs, files } = settings;
  const [ca, cert, key] = await Promise.all([read(files.ca), read(files.cert), read(files.key)]);
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const agent = createCutOffAgent(url, { keepAlive: true, ca, cert, key }, signal);
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs, httpAgentOptions: () => agent });
  return {
    export(spans, done) {
      const answered: typeof done = (result) => {
        if (result.error !== undefined && !signal.aborted)
          warn({ cause: causeOf(result.error), spans: spans.length }, 'traces could not be exported');
        done(result);
      };
      // A batch belongs to no request, although the end of one begins it.
      requestScope.exit(() => exporter.export(spans, answered));
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
