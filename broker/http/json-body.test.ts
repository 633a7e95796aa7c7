import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { startTestBroker } from '../testing/test-broker.ts';

const { json, small, containers, held } = limits.body;

async function startTeam() {
  const team = await startTestBroker();
  onTestFinished(() => team.stop());
  const post = async (name: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await team.fetch(name, '/push', { method: 'POST', headers, body });
    return { status: reply.status, body: (await reply.json()) as { reason?: string } };
  };
  return { team, post };
}

/** A post whose unknown field `z` makes its body large; unknown fields are ignored. */
const withField = (z: string): string => `{"body":"x","z":${z}}`;
const listOf = (count: number): string => `[${Array.from({ length: count }, () => '{}').join()}]`;
const padding = (bytes: number): string => JSON.stringify('.'.repeat(bytes));

it('refuses a large body with very many objects and lists, before it parses it', async () => {
  const { post } = await startTeam();
  const text = padding(small);
  expect((await post('cy', `{"body":"x","y":${text},"z":${listOf(containers - 2)}}`)).status).toBe(200);
  const refused = await post('cy', `{"body":"x","y":${text},"z":${listOf(containers - 1)}}`);
  expect(refused).toMatchObject({ status: 400, body: { reason: 'too_many_json_values' } });
});

it('reads large bodies of one member a few at a time, and everything else meanwhile', async () => {
  const { team, post } = await startTeam();
  const { hostname, port } = new URL(team.url);
  const size = json - 1024;
  const senders = Array.from({ length: held.perMember / json }, () =>
    connect({ host: hostname, port: Number(port) }),
  );
  onTestFinished(() => {
    for (const sender of senders) sender.destroy();
  });
  await Promise.all(
    senders.map(async (sender) => {
      await new Promise((resolve) => sender.once('connect', resolve));
      sender.write(
        `POST /push HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${team.token('ada')}\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\nexpect: 100-continue\r\n\r\n`,
      );
      // The broker asks for the body.
      await new Promise((resolve) => sender.once('data', resolve));
    }),
  );
  let isAnswered = false;
  const large = post('ada', withField(padding(size - 1024))).then(({ status }) => {
    isAnswered = true;
    return status;
  });
  for (let n = 0; n < 3; n++) {
    expect((await post('ada', withField('1'))).status).toBe(200);
    expect((await post('ben', withField(padding(size - 1024)))).status).toBe(200);
  }
  expect(isAnswered).toBe(false);
  senders[0]?.destroy();
  expect(await large).toBe(200);
});
