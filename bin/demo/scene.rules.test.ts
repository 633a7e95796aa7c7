import { expect, it } from 'vitest';
import { answerOf, type Block, type ModelMessage } from './scene.rules.ts';

const startedAt = Date.UTC(2026, 10, 26);
const message = (attributes: string, body: string, at = startedAt + 1000): ModelMessage => ({
  role: 'user',
  content: [
    {
      type: 'text',
      text: `<svc-message id="m1" at="${new Date(at).toISOString()}" ${attributes}>\n${body}\n</svc-message>`,
    },
  ],
});
const result: ModelMessage = { role: 'user', content: [{ type: 'tool_result' }] };
const answered: ModelMessage = { role: 'assistant', content: [] };

/** Every answer of a turn until the model is done. */
function turnOf(self: string, first: ModelMessage, known = ''): Block[] {
  const messages = [first];
  const said: Block[] = [];
  for (let step = 0; step < 10; step++) {
    const blocks = answerOf(self, messages, { known, startedAt });
    said.push(...blocks);
    if (blocks.every(({ type }) => type === 'text')) return said;
    messages.push(answered, result);
  }
  throw new Error('the turn does not end');
}
const callsOf = (blocks: Block[]) =>
  blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));

it('does nothing about what happened before the demo', () => {
  const old = message('from="ben" thread="#release"', '@mason the store text', startedAt - 1);
  expect(callsOf(turnOf('mason', old))).toEqual([]);
});

it('has the agents hand the text to each other', () => {
  const asked = message('from="ben" thread="#release"', '@mason can you finish the store text?');
  expect(callsOf(turnOf('mason', asked))).toEqual(['fs_read', 'search', 'fs_write', 'channels_post']);
  const draft = message('from="mason" thread="#release"', '@iris the draft is attached.');
  expect(callsOf(turnOf('iris', draft))).toEqual(['fs_read', 'fs_read', 'channels_post']);
});

it('completes the objective when a person has released the suggestion', () => {
  const released = message('from="iris" thread="#release"', '@mason I suggest that you submit it');
  const said = turnOf('mason', released, '<svc-objective id="obj_0123456789"');
  expect(said).toContainEqual(
    expect.objectContaining({
      name: 'objectives_complete',
      input: expect.objectContaining({ id: 'obj_0123456789' }),
    }),
  );
});

it('goes on with what the visitor decides, at the time that the visitor names', () => {
  const decided = message(
    'from="ada" thread="objective obj_0123456789" objective="assigned to you, blocked: Move the map server"',
    'Monday, please',
  );
  const said = turnOf('iris', decided);
  expect(callsOf(said)).toEqual([
    'objectives_update',
    'objectives_discuss',
    'fs_write',
    'objectives_complete',
  ]);
  expect(JSON.stringify(said)).toContain('Monday at 22:00');
});

it('works on an objective of the visitor, whatever its title is', () => {
  for (const title of ['Say “hi” <b>now</b>', '???', 'x'.repeat(200)]) {
    const handed = message(
      'from="ada" thread="objective obj_0123456789" objective="assigned to you, active: x"',
      `ada assigned it\ntitle: ${title}\noutcome: It is done.`,
    );
    const [write] = turnOf('iris', handed).filter(
      (block) => block.type === 'tool_use' && block.name === 'fs_write',
    );
    expect(write).toMatchObject({ input: { path: expect.stringMatching(/^\/iris\/[a-z0-9-]+\.md$/) } });
  }
});

it('answers a direct message in words', () => {
  const said = turnOf('iris', message('from="ada" thread="direct"', 'Hello\nthere'));
  expect(said.at(-1)).toEqual({ type: 'text', text: expect.stringContaining('“Hello there”') });
});
