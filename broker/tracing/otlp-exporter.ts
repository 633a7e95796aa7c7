/** The exporter of the SDK, which can be cut off, and which says in the log that it could not export. */
import { readFile } from 'node:fs/promises';
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

/** @throws StartUpError for a file that cannot be read. */
export async function createExporter({ settings, warn, signal }: ExporterDeps): Promise<SpanExporter> {
  const { url, protocol, timeoutMs, files } = settings;
  const [ca, cert, key] = await Promise.all([read(files.ca), read(files.cert), read(files.key)]);
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  // The agent passes the signal on to each of its sockets.
  const httpAgentOptions = { keepAlive: true, signal, ca, cert, key };
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs, httpAgentOptions });
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
