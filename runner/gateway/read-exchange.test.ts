import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ActivityEvent, type LlmExchangeEntry } from '#protocol/activity.ts';
import type { ExchangeKind } from './exchange-parts.rules.ts';
import { parsed } from './loose-json.rules.ts';
import { readExchange, type SeenExchange } from './read-exchange.ts';
import { anthropicStream, sseText } from './testing/sse-text.ts';

const seen = (
  kind: ExchangeKind,
  { requestText = '{}', ...more }: Partial<SeenExchange> & { requestText?: string },
): SeenExchange => ({
  kind,
  provider: 'someone',
  startedAt: 1000,
  endedAt: 1250,
  httpStatus: 200,
  contentType: 'text/event-stream; charset=utf-8',
  request: parsed(requestText),
  responseText: '',
  isCut: false,
  failure: null,
  ...more,
});

function entryOf(exchange: SeenExchange): LlmExchangeEntry {
  const event = readExchange(exchange);
  expect(ActivityEvent.parse(event)).toEqual(event);
  if (event.kind !== 'llm_exchange') throw new Error(event.kind);
  expect(event).toMatchObject({ ts: 1000, duration: 250 });
  return event.entry;
}

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

describe('an exchange with OpenAI’s Responses API', () => {
  const requestText = JSON.stringify({
    model: 'gpt-x',
    instructions: 'be brief',
    max_output_tokens: 9,
    tools: [{ type: 'namespace', name: 'mcp__svc', tools: [{ name: 'send' }] }],
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'hi' },
          { type: 'input_image', image_url: `data:image/jpeg;base64,${'A'.repeat(400)}` },
        ],
      },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'thought' }],
        encrypted_content: 'C'.repeat(500),
      },
      {
        type: 'function_call',
        call_id: 'c1',
        namespace: 'mcp__svc',
        name: 'send',
        arguments: '{"to":"ada"}',
      },
      { type: 'function_call_output', call_id: 'c1', output: 'Wall time: 1 s\nsent' },
      { type: 'something_new', payload: 1 },
    ],
  });

  it('keeps calls with their namespace, outputs, reasoning, and unknown items', () => {
    const { request } = entryOf(seen('openai_responses', { requestText }));
    expect(request).toMatchObject({ system: 'be brief', maxTokens: 9, temperature: null });
    expect(request.messages).toEqual([
      { role: 'developer', content: [{ type: 'text', text: 'rules' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image', mediaType: 'image/jpeg', bytes: 300 },
        ],
      },
      { role: 'assistant', content: [{ type: 'thinking', text: 'thought' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'send', input: { to: 'ada' }, namespace: 'mcp__svc' }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            toolUseId: 'c1',
            isError: null,
            content: [{ type: 'text', text: 'Wall time: 1 s\nsent' }],
          },
        ],
      },
      { role: 'unknown', content: [{ type: 'unknown', raw: { type: 'something_new', payload: 1 } }] },
    ]);
  });

  const message = {
    type: 'message',
    id: 'i1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hello' }],
  };
  const call = {
    type: 'function_call',
    id: 'i2',
    call_id: 'c2',
    namespace: 'mcp__svc',
    name: 'send',
    arguments: '{"a":1}',
  };
  const usage = { input_tokens: 10, output_tokens: 4, input_tokens_details: { cached_tokens: 6 } };
  const events = [
    { type: 'response.created', response: { id: 'r', model: 'gpt-x', status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
    { type: 'response.output_text.delta', output_index: 0, delta: 'Hel' },
    { type: 'response.output_text.delta', output_index: 0, delta: 'lo' },
    { type: 'response.output_item.done', output_index: 0, item: message },
    { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
    { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":1}' },
    { type: 'response.output_item.done', output_index: 1, item: call },
    {
      type: 'response.completed',
      response: { id: 'r', model: 'gpt-x', status: 'completed', usage, output: [] },
    },
  ];
  const expected = {
    messages: [
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c2', name: 'send', input: { a: 1 }, namespace: 'mcp__svc' }],
      },
    ],
    stopReason: null,
    status: 'completed',
    usage: { inputTokens: 10, outputTokens: 4, cacheReadInputTokens: 6, cacheCreationInputTokens: null },
  };

  it('assembles a stream, including one that reports only finished items without positions', () => {
    expect(
      entryOf(seen('openai_responses', { requestText, responseText: sseText(events) })).response,
    ).toEqual(expected);
    const short = [
      events[0]!,
      { type: 'response.output_item.done', item: message },
      { type: 'response.output_item.done', item: { ...call, id: undefined } },
      events.at(-1)!,
    ];
    expect(entryOf(seen('openai_responses', { responseText: sseText(short) })).response).toEqual(expected);
  });

  it('reads a plain JSON reply, and a reason why it is incomplete', () => {
    const body = { object: 'response', model: 'gpt-x', status: 'completed', output: [message, call], usage };
    const json = { contentType: 'application/json' };
    expect(
      entryOf(seen('openai_responses', { ...json, responseText: JSON.stringify(body) })).response,
    ).toEqual(expected);
    const cut = { ...body, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(
      entryOf(seen('openai_responses', { ...json, responseText: JSON.stringify(cut) })).response,
    ).toMatchObject({ status: 'incomplete', stopReason: 'max_output_tokens' });
  });

  it('returns what arrived of an interrupted stream, with a secret in pieces masked', () => {
    const pieces = ['key sk-ant-api03-abc', 'defghijklmnopq'];
    const broken = [
      ...events.slice(0, 2),
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', output_index: 0, delta })),
    ];
    expect(entryOf(seen('openai_responses', { responseText: sseText(broken) }))).toMatchObject({
      isBroken: true,
      response: { status: 'in_progress', messages: [{ content: [{ type: 'text', text: 'key [masked]' }] }] },
    });
  });
});

describe('an exchange with OpenAI’s Chat Completions API', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'send', arguments: '{"to":"ada"}' } };
  const requestText = JSON.stringify({
    model: 'gpt-y',
    max_completion_tokens: 8,
    messages: [
      { role: 'system', content: 'rules' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: 'https://host/a.png' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'sent' },
    ],
  });
  const response = {
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'hm' },
          { type: 'text', text: 'Hello' },
          { type: 'tool_use', id: 'c1', name: 'send', input: { to: 'ada' } },
        ],
      },
    ],
    stopReason: 'tool_calls',
    status: 200,
    usage: { inputTokens: 3, outputTokens: 2, cacheReadInputTokens: 1, cacheCreationInputTokens: null },
  };
  const usage = { prompt_tokens: 3, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } };

  it('keeps system entries, calls, and results in their place', () => {
    const { request } = entryOf(seen('openai_chat', { requestText }));
    expect(request).toMatchObject({ system: null, maxTokens: 8, tools: null });
    expect(request.messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'rules' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image', mediaType: null, bytes: null, url: 'https://host/a.png' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'send', input: { to: 'ada' } }] },
      {
        role: 'tool',
        content: [
          { type: 'tool_result', toolUseId: 'c1', isError: null, content: [{ type: 'text', text: 'sent' }] },
        ],
      },
    ]);
  });

  it('assembles chunks, and reads a plain JSON reply', () => {
    const chunk = (delta: object, more: object = {}) => ({
      model: 'gpt-y',
      choices: [{ index: 0, delta, ...more }],
    });
    const chunks = [
      chunk({ role: 'assistant', reasoning_content: 'hm' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'send', arguments: '{"to":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"ada"}' } }] }),
      chunk({}, { finish_reason: 'tool_calls' }),
      { model: 'gpt-y', choices: [], usage },
    ];
    const entry = entryOf(
      seen('openai_chat', { requestText, responseText: `${sseText(chunks)}data: [DONE]\n\n` }),
    );
    expect(entry.response).toEqual(response);
    expect(entry.isBroken).toBeUndefined();
    const body = {
      choices: [
        {
          message: { role: 'assistant', reasoning_content: 'hm', content: 'Hello', tool_calls: [call] },
          finish_reason: 'tool_calls',
        },
      ],
      usage,
    };
    expect(
      entryOf(seen('openai_chat', { contentType: 'application/json', responseText: JSON.stringify(body) }))
        .response,
    ).toEqual(response);
  });
});

describe('an exchange of any format', () => {
  const kinds: ExchangeKind[] = ['anthropic_messages', 'openai_responses', 'openai_chat'];
  const names = fc.constantFrom(
    ...[
      'type',
      'role',
      'content',
      'messages',
      'input',
      'output',
      'item',
      'response',
      'choices',
      'delta',
      'index',
      'message',
      'error',
    ],
    ...[
      'usage',
      'input_tokens',
      'tools',
      'system',
      'source',
      'image_url',
      'tool_calls',
      'function',
      'arguments',
      'max_tokens',
      '__proto__',
    ],
  );
  const leaves = fc.oneof(
    fc.constantFrom(
      'message_start',
      'content_block_start',
      'content_block_delta',
      'tool_use',
      'image',
      'tool_result',
      'response.completed',
    ),
    fc.constantFrom(
      'response.output_item.added',
      'response.output_text.delta',
      'reasoning',
      'data:image/png;base64,AA',
      'x',
    ),
    fc.constantFrom(Number.POSITIVE_INFINITY, -1, 1.5, 0, null, true, 7),
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      leaves,
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(names, tie('json'), { maxKeys: 5 }),
    ),
  }));

  it('is a valid event whatever was sent and answered', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        json,
        fc.array(json, { maxLength: 6 }),
        fc.boolean(),
        (kind, asked, events, isStream) => {
          const text = (value: unknown): string => JSON.stringify(value)?.replaceAll('null', '1e999') ?? '';
          const responseText = isStream
            ? events.map((event) => `data: ${text(event)}\n\n`).join('')
            : text(events[0]);
          const contentType = isStream ? 'text/event-stream' : 'application/json';
          entryOf(seen(kind, { requestText: text(asked), responseText, contentType }));
        },
      ),
      { numRuns: 600 },
    );
  });
});
