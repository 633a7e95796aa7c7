import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker } from '../testing/test-broker.ts';
import { startTraceReceiver } from './testing/trace-receiver.ts';

const child = fileURLToPath(new URL('./testing/loaded-child.ts', import.meta.url));

async function loadedWith(...endpoint: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, ...endpoint]);
  return stdout;
}

describe('without an endpoint', () => {
  it('loads nothing of OpenTelemetry', async () => {
    const receiver = await startTraceReceiver();
    onTestFinished(() => receiver.close());
    expect(await loadedWith()).toBe('');
    const loaded = await loadedWith(receiver.url);
    expect(loaded).toContain('/@opentelemetry/sdk-trace/');
    expect(loaded).toContain('/otlp-tracing.ts');
  });

  it('writes no ids into the log', async () => {
    const team = await startTestBroker({ config: { listen: { maxStreamsPerMember: 1 } } });
    onTestFinished(() => team.stop());
    await team.stream('ben');
    expect((await team.fetch('ben', '/subscribe?name=ben')).status).toBe(429);
    expect(team.logged()).toContain('"limit":"streams"');
    expect(team.logged()).not.toContain('trace_id');
  });
});

it('does not start with a setting that cannot be used', async () => {
  const start = (env: Record<string, string>) =>
    startTestBroker({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', ...env } });
  await expect(start({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).rejects.toMatchObject({ exitCode: 78 });
  await expect(start({ OTEL_EXPORTER_OTLP_CERTIFICATE: '/no/such/file.pem' })).rejects.toThrow(
    'OTEL_EXPORTER_OTLP_CERTIFICATE names "/no/such/file.pem", which cannot be read (ENOENT).',
  );
});
