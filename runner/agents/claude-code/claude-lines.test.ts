import { expect, it } from 'vitest';
import { ClaudeLine, failureOf } from './claude-lines.ts';

const result = (fields: object) => {
  const line = ClaudeLine.parse({ type: 'result', ...fields });
  if (line.type !== 'result') throw new Error('not a result');
  return line;
};

it('names what Claude Code says instead of its model', () => {
  const line = result({ is_error: true, api_error_status: 429, result: 'API Error: Request rejected (429)' });
  expect(failureOf(line, { error: 'rate_limit' })).toEqual({
    status: 429,
    kind: 'rate_limit',
    message: 'API Error: Request rejected (429)',
  });
  const loggedOut = result({ is_error: true, api_error_status: null, result: 'Not logged in' });
  expect(failureOf(loggedOut, { error: 'authentication_failed' })).toMatchObject({
    status: null,
    kind: 'authentication_failed',
  });
});

it.each([
  ['something', { subtype: 'error_max_turns', is_error: true }],
  ['nothing', { subtype: 'success', is_error: false, result: '' }],
] as const)('takes a turn in which the model said %s and did not refuse for interrupted', (said, fields) => {
  expect(failureOf(result(fields), said).kind).toBe('interrupted');
});
