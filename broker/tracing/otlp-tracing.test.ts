import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../runtime/log.ts';
import { requestScope } from '../runtime/request-scope.ts';
import { createOtlpTracing } from './otlp-tracing.ts';
import { startTraceReceiver } from './testing/trace-receiver.ts';
import { traceSettings } from './trace-settings.ts';

/** Each span is exported when it ends. */
const atOnce = { OTEL_BSP_MAX_QUEUE_SIZE: '1', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' };
const start = { name: 'work', kind: 'internal', facts: {} } as const;

async function open(closeTimeoutMs: number, env: Record<string, string> = {}) {
  const receiver = await startTraceReceiver();
  onTestFinished(() => receiver.close());
  const settings = traceSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    ...env,
  });
  if (settings === null) throw new Error('the settings have an endpoint');
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line: string) => void lines.push(line) } });
  const tracing = await createOtlpTracing({
    settings,
    version: '1.2.3',
    clock: Date.now,
    log,
    closeTimeoutMs,
  });
  return { receiver, tracing, logged: () => lines.join('') };
}

describe('close', () => {
  it('exports what is left', async () => {
    const { receiver, tracing, logged } = await open(100_000);
    const span = tracing.begin(start);
    span?.child(start)?.end('broken');
    span?.end();
    await tracing.close();
    expect(receiver.faults).toEqual([]);
    const [child, root] = receiver.spans;
    expect(root).toMatchObject({ name: 'work', parentSpanId: null, isError: false });
    expect(child).toMatchObject({
      parentSpanId: root!.spanId,
      isError: true,
      facts: { 'error.type': 'broken' },
    });
    expect(root!.resource).toMatchObject({ 'service.name': 'muster', 'service.version': '1.2.3' });
    expect(logged()).not.toContain('"level":40');
  });

  it('goes on without a collector that never answers, and hangs up', async () => {
    const { receiver, tracing, logged } = await open(50, atOnce);
    receiver.answer = 'never';
    const hungUp = receiver.connectionEnded();
    tracing.begin(start)?.end();
    await expect.poll(() => receiver.requests).toHaveLength(1);
    await tracing.close();
    expect(logged()).toContain('the last traces were not exported in time');
    await hungUp;
  });

  it('goes on without a collector that is dead', async () => {
    const { receiver, tracing, logged } = await open(50);
    await receiver.close();
    tracing.begin(start)?.end();
    await tracing.close();
    expect(logged()).toContain('the last traces were not exported in time');
  });
});

describe('a span', () => {
  it('has at most 100 others inside, and says how many were left out', async () => {
    const { receiver, tracing } = await open(100_000);
    const span = tracing.begin(start);
    for (let n = 0; n < 103; n++) span?.child(start)?.end();
    span?.end();
    await tracing.close();
    expect(receiver.spans).toHaveLength(101);
    expect(receiver.spans.at(-1)?.facts).toEqual({ 'muster.spans_left_out': 3 });
  });

  it('is over when it has ended', async () => {
    const { receiver, tracing, logged } = await open(100_000);
    const span = tracing.begin(start);
    span?.end();
    span?.set({ late: true });
    span?.link('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
    span?.end('late');
    expect(span?.child(start)).toBeNull();
    await tracing.close();
    expect(receiver.spans).toMatchObject([{ facts: {}, links: [], isError: false }]);
    expect(logged()).not.toContain('"level":40');
  });

  it('waits in a queue that is bounded', async () => {
    const { receiver, tracing } = await open(100_000, {
      OTEL_BSP_MAX_QUEUE_SIZE: '5',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
    });
    for (let n = 0; n < 100; n++) tracing.begin(start)?.end();
    await tracing.close();
    expect(receiver.spans.length).toBeLessThanOrEqual(10);
  });
});

it('names no span in the warning about an export, whichever request began it', async () => {
  const { receiver, tracing, logged } = await open(100_000, atOnce);
  receiver.answer = 500;
  const span = tracing.begin(start);
  const scope = {
    storeTime: { queue: 0, statements: 0, commit: 0 },
    origin: { actor: null, address: '127.0.0.1' },
    span,
  };
  requestScope.run(scope, () => span?.end());
  await expect.poll(logged).toContain('traces could not be exported');
  expect(logged()).toContain('"cause":"status 500"');
  expect(logged()).not.toContain('trace_id');
  await tracing.close();
});

it('starts no trace that is not sampled', async () => {
  const { tracing } = await open(100_000, {
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  expect(tracing.begin(start)).toBeNull();
  await tracing.close();
});
