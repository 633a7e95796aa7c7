/** Starts and closes a broker, and prints the modules of OpenTelemetry that it loaded, one a line. */
import { registerHooks } from 'node:module';
import process from 'node:process';

const loaded = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (found.url.includes('/@opentelemetry/') || found.url.includes('/otlp-')) loaded.add(found.url);
    return found;
  },
});
// After the hooks, which see nothing of what was imported before.
const { startTestBroker } = await import('../../testing/test-broker.ts');
const endpoint = process.argv[2];
const team = await startTestBroker({
  env: endpoint === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
});
await team.as('ben').call('push', { body: { body: 'x' } });
await team.stop();
process.stdout.write([...loaded].join('\n'));
