import { expect, it } from 'vitest';
import { refusals } from '#protocol/refusals.ts';
import { refusalText } from './refusal-text.rules.ts';

it.each([
  ['body.userCode: must be 8 letters', 'invalid_request', 'the code: must be 8 letters'],
  ['body.watchers.1: must not be empty', 'invalid_request', '--watchers (number 2): must not be empty'],
  ['body.role.title: must be shorter', 'invalid_request', '--role-title: must be shorter'],
  ['query.limit: must be a number', 'invalid_request', '"limit": must be a number'],
  ['blocking needs a blockReason', 'block_reason_missing', 'it needs a reason; say why with --reason'],
  [
    '"/a" already exists; pass collide=overwrite or collide=suffix, or choose another name',
    'name_collision',
    '"/a" already exists; pass --collide overwrite or --collide suffix, or choose another name',
  ],
  [
    'too many wrong codes were entered; try again in 3540 seconds',
    'too_many_wrong_codes',
    'too many wrong codes were entered; try again in 59 minutes',
  ],
  ['try again in 1 seconds', undefined, 'try again in 1 second'],
  ['the file has more than 104857600 bytes', undefined, 'the file has more than 100.0 MiB'],
  [
    'the objective is cancelled and cannot change anymore',
    'objective_ended',
    'the objective is canceled and cannot change anymore',
  ],
  [
    'there is no member named "bne"',
    'unknown_member',
    'there is no member named "bne"; see "muster roster", or create the member with "muster members create"',
  ],
])('says "%s" in the words of a person', (message, reason, text) => {
  expect(refusalText(message, reason)).toBe(text);
});

it('leaves no property of a request in any remedy', () => {
  for (const [reason, entry] of Object.entries(refusals)) {
    const remedy = 'remedy' in entry ? `; ${entry.remedy}` : '';
    expect(refusalText(`${entry.sentence}${remedy}`, reason)).not.toMatch(
      /=(?:true|overwrite|suffix)|blockReason/,
    );
  }
});
