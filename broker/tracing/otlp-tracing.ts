/**
 * Traces by the SDK of OpenTelemetry, exported with OTLP in the background. The queue is bounded, so a collector
 * that is slow, dead, or hostile costs spans and one warning a minute, and never a request.
 */
import { DiagLogLevel, diag } from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createBoundedWarnings } from '../runtime/bounded-warnings.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Tracing } from '../runtime/tracing.ts';
import { createExporter, maxCauseLength } from './otlp-exporter.ts';
import { beginTrace } from './otlp-span.ts';
import type { TraceSettings } from './trace-settings.ts';

export interface OtlpTracingDeps {
  settings: TraceSettings;
  /** The version of the broker. */
  version: string;
  clock: Clock;
  log: Log;
  /** How long `close` waits for the last export. */
  closeTimeoutMs?: number;
}

/** Nothing of the machine, its user, or the command line, which the SDK could find out, too. */
function resourceOf(version: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'muster', 'service.version': version }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
}

function samplerOf(ratio: number) {
  if (ratio === 1) return new AlwaysOnSampler();
  return ratio === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

/** Settles when the work does, or when the time has passed. Returns whether the work was done in time. */
async function within(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    limit = setTimeout(resolve, timeoutMs, false);
  });
  const done = work.then(
    () => true,
    // The exporter has said why.
    () => true,
  );
  return Promise.race([done, late]).finally(() => clearTimeout(limit));
}

/** @throws StartUpError for a file that cannot be read. */
export async function createOtlpTracing(deps: OtlpTracingDeps): Promise<Tracing> {
  const { settings, version, clock, log, closeTimeoutMs = 2000 } = deps;
  const warn = createBoundedWarnings(log, clock, 1);
  // The only channel for a setting that the SDK reads itself and cannot use.
  diag.setLogger(
    {
      error: () => undefined,
      warn: (message) => warn({ cause: message.slice(0, maxCauseLength) }, 'a warning about traces'),
      info: () => undefined,
      debug: () => undefined,
      verbose: () => undefined,
    },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const cutOff = new AbortController();
  const exporter = await createExporter({ settings, warn, signal: cutOff.signal });
  const provider = new TracerProvider({
    resource: resourceOf(version),
    sampler: samplerOf(settings.ratio),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: settings.batchDelayMs,
        maxExportBatchSize: settings.maxBatchSize,
        maxQueueSize: settings.maxQueueSize,
        exportTimeoutMillis: settings.timeoutMs * 2,
      }),
    ],
  });
  const tracer = provider.getTracer('muster', version);
  log.info({ endpoint: new URL(settings.url).origin }, 'traces are exported');
  return {
    begin: (start) => beginTrace(tracer, start),
    async close() {
      if (!(await within(closeTimeoutMs, provider.shutdown())))
        log.warn('the last traces were not exported in time');
      // An export that still waits would keep the process alive.
      cutOff.abort();
    },
  };
}
