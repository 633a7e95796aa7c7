import { describe, expect, it } from 'vitest';
import { faultOf, setupFields } from './setup-questions.ts';

const fault = (option: string, answer: string) => {
  const field = setupFields.find((one) => one.option === option);
  return field && faultOf(field, answer);
};

describe('a question of setup', () => {
  it("asks again with the schema's sentence", () => {
    expect(fault('team', '')).toBe('must be 1 to 64 characters');
    expect(fault('admin', 'general')).toBe('is a reserved name');
    expect(fault('admin', 'ada')).toBeUndefined();
  });

  it('offers only valid defaults', () => {
    for (const field of setupFields)
      if (field.default !== undefined) expect(faultOf(field, field.default)).toBeUndefined();
  });
});
