/** Exchanges in the format of Anthropic's Messages API, read into entries of the activity. */
import { describe, expect, it } from 'vitest';
import { entryOf, seen } from './testing/seen-exchange.ts';
import { anthropicStream, sseText } from './testing/sse-text.ts';

describe('an exchange with Anthropic’s Messages API', () => {
  const requestText = JSON.stringify({
    model: 'claude-x',
    max_tokens: 100,
    temperature: 0.5,
    stream: true,
    system: [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two', cache_control: {} },
    ],
    tools: [{ name: 'read', input_schema: { type: 'object', properties: { token: { type: 'string' } } } }],
    messages: [
      { role: 'user', content: 'hello' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'x' },
          { type: 'tool_use', id: 't1', name: 'read', input: { path: '/a' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            is_error: true,
            content: [
              { type: 'text', text: 'gone' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4000) } },
            ],
          },
        ],
      },
      { role: 'system', content: 'The user sent a new message while you were working: stop' },
      {
        role: 'user',
        content: [
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'B'.repeat(4000) },
          },
        ],
      },
    ],
  });

  it('keeps the request with its system entries, tools, calls, and results, and images by kind and size', () => {
    const { request, model } = entryOf(seen('anthropic_messages', { requestText }));
    expect(model).toBe('claude-x');
    expect(request).toMatchObject({ system: 'one\n\ntwo', maxTokens: 100, temperature: 0.5 });
    expect(request.tools).toEqual(JSON.parse(requestText).tools);
    expect(request.messages.slice(0, 4)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'hm' },
          { type: 'tool_use', id: 't1', name: 'read', input: { path: '/a' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            toolUseId: 't1',
            isError: true,
            content: [
              { type: 'text', text: 'gone' },
              { type: 'image', mediaType: 'image/png', bytes: 3000 },
            ],
          },
        ],
      },
      {
        role: 'system',
        content: [{ type: 'text', text: 'The user sent a new message while you were working: stop' }],
      },
    ]);
    expect(request.messages[4]?.content[0]).toMatchObject({ type: 'unknown', raw: { type: 'document' } });
    expect(JSON.stringify(request)).not.toMatch(/A{100}|B{100}/);
  });

  it('assembles a stream: text, tool input, usage, and stop reason', () => {
    const events = anthropicStream(['Hel', 'lo'], { name: 'send', json: ['{"to":', '"ada"}'] });
    const entry = entryOf(seen('anthropic_messages', { requestText, responseText: sseText(events) }));
    expect(entry.response).toEqual({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Hello' },
            { type: 'tool_use', id: 'toolu_1', name: 'send', input: { to: 'ada' } },
          ],
        },
      ],
      stopReason: 'tool_use',
      status: 200,
      usage: { inputTokens: 11, outputTokens: 7, cacheReadInputTokens: 5, cacheCreationInputTokens: 2 },
    });
    expect(entry.isBroken).toBeUndefined();
  });

  it('masks a secret that arrived in pieces, in text and in the input of a tool', () => {
    const secret = `svc_${'aB3_-'.repeat(8)}xyz`;
    const [head, tail] = [secret.slice(0, 15), secret.slice(15)];
    const events = anthropicStream(['it is ', head, tail, '.'], {
      name: 'x',
      json: [`{"a":"${head}`, `${tail}"}`],
    });
    const entry = entryOf(seen('anthropic_messages', { responseText: sseText(events) }));
    expect(entry.response?.messages[0]?.content).toEqual([
      { type: 'text', text: 'it is [masked].' },
      { type: 'tool_use', id: 'toolu_1', name: 'x', input: { a: '[masked]' } },
    ]);
  });

  it('reads a plain JSON reply, an error in the service’s format, and an error in another format', () => {
    const plain = {
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    const json = { contentType: 'application/json' };
    expect(
      entryOf(seen('anthropic_messages', { ...json, responseText: JSON.stringify(plain) })),
    ).toMatchObject({
      model: 'm',
      response: {
        messages: [{ role: 'assistant', content: [{ type: 'text', text: 'hi' }] }],
        stopReason: 'end_turn',
        usage: { inputTokens: 1, cacheReadInputTokens: null },
      },
    });
    const refused = '{"type":"error","error":{"type":"rate_limit_error","message":"slower"}}';
    expect(
      entryOf(seen('anthropic_messages', { ...json, httpStatus: 429, responseText: refused })).response,
    ).toEqual({
      messages: [],
      stopReason: null,
      status: 429,
      usage: null,
      error: { type: 'rate_limit_error', message: 'slower' },
    });
    expect(
      entryOf(
        seen('anthropic_messages', {
          contentType: 'text/html',
          httpStatus: 502,
          responseText: '<h1>no</h1>',
        }),
      ).response,
    ).toMatchObject({ status: 502, error: { message: '<h1>no</h1>' } });
  });

  it('returns what arrived of an interrupted stream, and the status if nothing did', () => {
    const whole = sseText(anthropicStream(['Hel', 'lo'], { name: 'send', json: ['{"to":', '"ada"}'] }));
    const half = whole.slice(0, whole.indexOf('\\"ada') + 3);
    expect(
      entryOf(seen('anthropic_messages', { responseText: half, failure: 'x ended', isCut: true })),
    ).toMatchObject({
      isBroken: true,
      isCut: true,
      failure: 'x ended',
      response: {
        messages: [{ content: [{ text: 'Hello' }, { type: 'tool_use', input: '{"to":' }] }],
        status: 200,
        stopReason: null,
      },
    });
    expect(entryOf(seen('anthropic_messages', { responseText: 'data: {"type":' }))).toMatchObject({
      response: null,
      httpStatus: 200,
      isBroken: true,
    });
    expect(entryOf(seen('anthropic_messages', { httpStatus: null, failure: 'no network' }))).toMatchObject({
      response: null,
      httpStatus: null,
      failure: 'no network',
    });
  });
});
