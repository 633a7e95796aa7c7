/**
 * Whether and how traces are exported, from the standard variables of OpenTelemetry
 * (specification/diagnostics.md#traces). The SDK itself reads what is only passed on: headers,
 * compression, and attributes of the resource.
 */
import { StartUpError } from '../runtime/start-up-error.ts';

/** A file that a variable names. */
export interface NamedFile {
  variable: string;
  path: string;
}

export interface TraceSettings {
  /** The address to which batches are posted. */
  url: string;
  protocol: 'http/protobuf' | 'http/json';
  /** PEM files for TLS, which the exporter does not read itself once it has an agent of ours. */
  files: Record<'ca' | 'cert' | 'key', NamedFile | null>;
  /** How long an export may take, with its retries. */
  timeoutMs: number;
  /** The share of traces that are exported, from 0 to 1. */
  ratio: number;
  /** A batch is sent when this time has passed since the first span in it ended, or when it is full. */
  batchDelayMs: number;
  maxBatchSize: number;
  /** Spans that wait; further ones are dropped. */
  maxQueueSize: number;
}

type Env = Readonly<Record<string, string | undefined>>;

const prefix = 'OTEL_EXPORTER_OTLP';
/** Shorter than the standard's 10 seconds, because a process that stops waits for it. */
const defaultTimeoutMs = 3000;
const maxTimerMs = 2 ** 31 - 1;

/** An empty variable is an unset one. */
function textOf(env: Env, ...names: string[]): { name: string; value: string } | null {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return { name, value };
  }
  return null;
}

/** The first one that is set. @throws StartUpError. */
function countOf(env: Env, fallback: number, ...names: string[]): number {
  const set = textOf(env, ...names);
  if (set === null) return fallback;
  const count = /^\d{1,10}$/.test(set.value) ? Number(set.value) : 0;
  if (count >= 1 && count <= maxTimerMs) return count;
  throw new StartUpError(
    `${set.name} must be a whole number from 1 to ${maxTimerMs}, not "${set.value}". Correct or unset it.`,
  );
}

/** Values are not repeated in the sentence, because a URL may contain a password. */
function urlOf(name: string, value: string): URL {
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new StartUpError(
    `${name} must be an http or https URL, such as http://127.0.0.1:4318. Correct it, or unset it to turn traces off.`,
  );
}

function endpointOf(env: Env): string | null {
  const own = textOf(env, `${prefix}_TRACES_ENDPOINT`);
  if (own !== null) return urlOf(own.name, own.value).href;
  const shared = textOf(env, `${prefix}_ENDPOINT`);
  if (shared === null) return null;
  const url = urlOf(shared.name, shared.value);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

function protocolOf(env: Env): TraceSettings['protocol'] {
  const set = textOf(env, `${prefix}_TRACES_PROTOCOL`, `${prefix}_PROTOCOL`);
  if (set === null) return 'http/protobuf';
  if (set.value === 'http/protobuf' || set.value === 'http/json') return set.value;
  throw new StartUpError(
    `${set.name} must be "http/protobuf" or "http/json", not "${set.value}". Collectors usually accept both on port 4318.`,
  );
}

function fileOf(env: Env, name: string): NamedFile | null {
  const set = textOf(env, `${prefix}_TRACES_${name}`, `${prefix}_${name}`);
  return set === null ? null : { variable: set.name, path: set.value };
}

/** Each trace begins in the broker, so a sampler that follows its parent is the one that it names for roots. */
function ratioOf(env: Env): number {
  const sampler = textOf(env, 'OTEL_TRACES_SAMPLER');
  const kind = sampler?.value.replace(/^parentbased_/, '') ?? 'always_on';
  if (kind === 'always_on') return 1;
  if (kind === 'always_off') return 0;
  if (kind !== 'traceidratio')
    throw new StartUpError(
      `OTEL_TRACES_SAMPLER must be "always_on", "always_off", or "traceidratio", also with "parentbased_" before it, not "${sampler?.value}".`,
    );
  const set = textOf(env, 'OTEL_TRACES_SAMPLER_ARG');
  if (set === null) return 1;
  const ratio = Number(set.value);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new StartUpError(`${set.name} must be a number from 0 to 1, not "${set.value}".`);
}

/** Returns null if there are no traces. @throws StartUpError for a value that cannot be used. */
export function traceSettings(env: Env): TraceSettings | null {
  if (textOf(env, 'OTEL_SDK_DISABLED')?.value.toLowerCase() === 'true') return null;
  const exporter = textOf(env, 'OTEL_TRACES_EXPORTER')?.value ?? 'otlp';
  if (exporter === 'none') return null;
  const url = endpointOf(env);
  if (url === null) return null;
  if (exporter !== 'otlp')
    throw new StartUpError(`OTEL_TRACES_EXPORTER must be "otlp" or "none", not "${exporter}".`);
  return {
    url,
    protocol: protocolOf(env),
    files: {
      ca: fileOf(env, 'CERTIFICATE'),
      cert: fileOf(env, 'CLIENT_CERTIFICATE'),
      key: fileOf(env, 'CLIENT_KEY'),
    },
    timeoutMs: countOf(env, defaultTimeoutMs, `${prefix}_TRACES_TIMEOUT`, `${prefix}_TIMEOUT`),
    ratio: ratioOf(env),
    batchDelayMs: countOf(env, 5000, 'OTEL_BSP_SCHEDULE_DELAY'),
    maxBatchSize: countOf(env, 512, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
    maxQueueSize: countOf(env, 2048, 'OTEL_BSP_MAX_QUEUE_SIZE'),
  };
}
