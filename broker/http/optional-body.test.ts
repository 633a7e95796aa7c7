import { expect, it } from 'vitest';
import { startTestBroker } from '../testing/test-broker.ts';

it('takes a request without a body for one with an empty object, if every field may be missing', async () => {
  const team = await startTestBroker();
  try {
    const post = (path: string, name: string | null, headers = {}) =>
      team.fetch(name, path, { method: 'POST', headers });
    expect((await post('/enroll', null)).status).toBe(200);
    // Some clients name a type although they send no body.
    expect((await post('/enroll', null, { 'content-type': 'application/json' })).status).toBe(200);
    const objective = { title: 'Draw the coast', outcome: 'A map', assignee: 'ben' };
    const { id } = await team.as('ada').call('createObjective', { body: objective });
    expect((await post(`/objectives/${id}/cancel`, 'ada')).status).toBe(200);
    expect((await post('/push', 'ada')).status).toBe(400);
  } finally {
    await team.stop();
  }
});
