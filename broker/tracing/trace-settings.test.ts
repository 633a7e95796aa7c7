import { describe, expect, it } from 'vitest';
import { StartUpError } from '../runtime/start-up-error.ts';
import { traceSettings } from './trace-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('traces are off', () => {
  it.each([
    ['without an endpoint', {}],
    ['with an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '  ' }],
    ['if the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
    ['if there is no exporter', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
    ['whatever else is set', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'unknown' }],
  ])('%s', (_, env) => expect(traceSettings(env)).toBeNull());
});

describe('the settings', () => {
  it('are the defaults of the standard, except for the timeout', () => {
    expect(traceSettings(endpoint)).toEqual({
      url: 'http://collector:4318/v1/traces',
      protocol: 'http/protobuf',
      files: { ca: null, cert: null, key: null },
      timeoutMs: 3000,
      ratio: 1,
      batchDelayMs: 5000,
      maxBatchSize: 512,
      maxQueueSize: 2048,
    });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp/' }, { url: 'https://c.example/otlp/v1/traces' }],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1/x' }, { url: 'http://t:1/x' }],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, { protocol: 'http/json' }],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
      { protocol: 'http/json' },
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '7', OTEL_EXPORTER_OTLP_TIMEOUT: '8' }, { timeoutMs: 7 }],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, { ratio: 0 }],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on' }, { ratio: 1 }],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio' }, { ratio: 1 }],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, { ratio: 0.25 }],
    [
      { OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_BSP_MAX_QUEUE_SIZE: '3' },
      { batchDelayMs: 1, maxQueueSize: 3 },
    ],
    [
      { OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem' },
      {
        files: { ca: { variable: 'OTEL_EXPORTER_OTLP_CERTIFICATE', path: '/ca.pem' }, cert: null, key: null },
      },
    ],
  ])('follow %j', (env, expected) => expect(traceSettings({ ...endpoint, ...env })).toMatchObject(expected));
});

describe('the start is refused', () => {
  it.each<Record<string, string>>([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'not a url' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_TIMEOUT: '0' },
    { OTEL_EXPORTER_OTLP_TIMEOUT: '1.5' },
    { OTEL_BSP_MAX_QUEUE_SIZE: '99999999999' },
    { OTEL_TRACES_SAMPLER: 'jaeger_remote' },
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' },
    { OTEL_TRACES_EXPORTER: 'zipkin' },
  ])('with a sentence that names the variable: %j', (env) => {
    const [wrong] = Object.keys(env).slice(-1);
    const read = () => traceSettings({ ...endpoint, ...env });
    expect(read).toThrow(StartUpError);
    expect(read).toThrow(wrong);
  });

  it('without repeating a URL, which may contain a password', () => {
    const read = () => traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'htps://me:hunter2@c' });
    expect(read).toThrow(/^(?!.*hunter2)/s);
    expect(read).toThrow(StartUpError);
  });
});
