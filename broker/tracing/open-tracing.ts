/** Traces, if an endpoint is configured. Without one, nothing of the SDK is loaded. */
import type { Tracing } from '../runtime/tracing.ts';
import type { OtlpTracingDeps } from './otlp-tracing.ts';
import { traceSettings } from './trace-settings.ts';

export interface OpenTracingOptions extends Omit<OtlpTracingDeps, 'settings'> {
  env: Readonly<Record<string, string | undefined>>;
}

/** Returns null if there are no traces. @throws StartUpError for a setting that cannot be used. */
export async function openTracing({ env, ...deps }: OpenTracingOptions): Promise<Tracing | null> {
  const settings = traceSettings(env);
  if (settings === null) return null;
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing({ settings, ...deps });
}
