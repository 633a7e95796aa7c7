import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { metricsToken } from '../../http/metrics.ts';
import { StartUpError } from '../../runtime/start-up-error.ts';
import { startTestBroker } from '../../testing/test-broker.ts';

const token = `${'a'.repeat(31)}!`;

async function start(env: Record<string, string> = { SVC_METRICS_TOKEN: token }) {
  const team = await startTestBroker({ onDisk: true, env });
  onTestFinished(() => team.stop());
  const scrape = (bearer: string | null) =>
    fetch(`${team.url}/metrics`, { headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` } });
  return { team, scrape };
}

/** The samples by their names with labels. @throws Error for a line that is not of the format. */
function parsed(text: string): Map<string, number> {
  const sample = /^([a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})?) (\S+)$/;
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    if (/^# (?:HELP|TYPE) [a-z_]+ \S/.test(line)) continue;
    const [, name, value] = sample.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value))) throw new Error(`not a sample: ${line}`);
    expect(samples.has(name), name).toBe(false);
    samples.set(name, Number(value));
  }
  return samples;
}

describe('GET /metrics', () => {
  it('has every metric of the dashboard and of the specification', async () => {
    const { team, scrape } = await start();
    await team.as('ben').call('push', { body: { body: 'x' } });
    const text = await (await scrape(token)).text();
    const offered = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const used = ['grafana/muster.json', 'specification/diagnostics.md'].flatMap((name) =>
      [
        ...readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8').matchAll(
          /muster_[a-z_]+/g,
        ),
      ].map(([metric]) => metric.replace(/(duration_seconds)_(?:bucket|count|sum)$/, '$1')),
    );
    expect(new Set(used)).toEqual(offered);
  });

  it('shows operations, streams, stores, and the process to the scraper, and no member', async () => {
    const { team, scrape } = await start();
    await team.stream('ben');
    for (const body of ['a', 'b', 'c']) await team.as('ben').call('push', { body: { body } });
    const reply = await scrape(token);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await reply.text();
    const samples = parsed(text);
    const push = (name: string, labels = '') =>
      samples.get(`muster_operation_duration_seconds_${name}{operation="push"${labels}}`);
    expect(push('count')).toBe(3);
    expect(push('sum')).toBeGreaterThan(0);
    expect(push('bucket', ',le="+Inf"')).toBe(3);
    const buckets = [...samples].filter(([name]) =>
      name.startsWith('muster_operation_duration_seconds_bucket{operation="push"'),
    );
    const counts = buckets.map(([, value]) => value);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(
      samples.get('muster_operation_phase_seconds_total{operation="push",phase="commit"}'),
    ).toBeGreaterThan(0);
    expect(samples.get('muster_streams{kind="messages"}')).toBe(1);
    expect(samples.get('muster_store_bytes{store="main"}')).toBeGreaterThan(4096);
    expect(samples.get('muster_store_commit_units_total{store="main"}')).toBeGreaterThanOrEqual(3);
    expect(samples.get('muster_store_queue{store="main"}')).toBeGreaterThanOrEqual(0);
    expect(samples.get('muster_memory_bytes')).toBeGreaterThan(1e7);
    expect(text).not.toMatch(/\bben\b|\bada\b/);
  });

  it('is refused with any other credential, also with that of a manager', async () => {
    const { team, scrape } = await start();
    for (const bearer of [null, '', 'wrong', `${token}x`, team.token('ada')]) {
      const reply = await scrape(bearer);
      expect(reply.status).toBe(401);
      expect(await reply.text()).not.toContain('muster_');
    }
  });

  it('gives its token no other right', async () => {
    const { team } = await start();
    for (const path of ['/briefing', '/diagnostics', '/history'])
      expect(
        (await fetch(`${team.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status,
      ).toBe(401);
  });

  it('does not exist without a token', async () => {
    const { scrape } = await start({});
    expect((await scrape(token)).status).toBe(404);
  });

  it('does not start with a token that could be guessed or not be sent', () => {
    for (const bad of ['short', 'a'.repeat(31), `${'a'.repeat(40)} b`, 'ä'.repeat(40), 'a'.repeat(513)])
      expect(() => metricsToken({ SVC_METRICS_TOKEN: bad })).toThrow(StartUpError);
    expect(metricsToken({})).toBeNull();
    expect(metricsToken({ SVC_METRICS_TOKEN: '' })).toBeNull();
  });
});
