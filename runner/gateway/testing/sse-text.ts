/** Events as a stream of a model service carries them. */
export const sseText = (events: readonly object[]): string =>
  events
    .map((event) => `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('');

/** One streamed answer of Anthropic's API: texts as deltas of one block, then one tool call. */
export const anthropicStream = (
  texts: readonly string[],
  call?: { name: string; json: readonly string[] },
) => [
  {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [],
      usage: {
        input_tokens: 11,
        output_tokens: 1,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 2,
      },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...texts.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
  { type: 'content_block_stop', index: 0 },
  ...(call === undefined
    ? []
    : [
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'toolu_1', name: call.name, input: {} },
        },
        ...call.json.map((partial_json) => ({
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json },
        })),
        { type: 'content_block_stop', index: 1 },
      ]),
  {
    type: 'message_delta',
    delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { output_tokens: 7 },
  },
  { type: 'message_stop' },
];
