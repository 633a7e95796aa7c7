/** Exchanges in the formats of OpenAI's Responses and Chat Completions APIs, read into entries of the activity. */
import { describe, expect, it } from 'vitest';
import { entryOf, seen } from './testing/seen-exchange.ts';
import { sseText } from './testing/sse-text.ts';

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
