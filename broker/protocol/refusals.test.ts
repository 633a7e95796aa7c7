import { describe, expect, it } from 'vitest';
import { BrokerError, isRefusedFor, refusal, refuse } from './errors.ts';
import { type Reason, type Refusal, refusalMessage, refusals } from './refusals.ts';

const rows = (Object.entries(refusals) as [Reason, Refusal][]).map(([reason, row]) => ({ reason, ...row }));

describe('the catalog of refusals', () => {
  it.each(rows)('$reason answers no placeholder', ({ reason, sentence, remedy = '' }) => {
    const names = `${sentence}${remedy}`.matchAll(/\{([^}]*)\}/g);
    const message = refusalMessage(reason, Object.fromEntries([...names].map(([, name]) => [name, 'x'])));
    expect(message).not.toMatch(/[{}]|undefined/);
  });

  it.each(rows)('$reason reads as one sentence', ({ sentence, remedy = '' }) => {
    for (const text of [sentence, remedy]) expect(text).not.toMatch(/^[A-Z][a-z]+ (?!must)|[.;:\s]$/);
  });
});

describe('a refusal', () => {
  it('has the code, the status, and the texts of its reason, with the parameters filled in', () => {
    const error = refusal('name_taken', { name: 'Ana', holder: 'ana' }, { details: [1] });
    expect(error).toBeInstanceOf(BrokerError);
    expect(error).toMatchObject({ code: 'conflict', status: 409, reason: 'name_taken', details: [1] });
    expect(error.message).toBe('the name "Ana" is taken by "ana"; choose another name');
    expect(refusal('invalid_range', { size: 3 })).toMatchObject({ code: 'bad_request', status: 416 });
  });

  it('fills in each parameter once, so that a value cannot name another one', () => {
    expect(refusal('name_taken', { name: '{holder}', holder: 'ana' }).message).toContain('"{holder}"');
  });

  it('quotes each value of a list', () => {
    expect(refusal('unknown_permission', { entries: ['a', 'b'] }).message).toBe(
      'neither a preset nor a permission: "a", "b"',
    );
  });

  it('is thrown, and recognized by its reason', () => {
    expect(() => refuse('unknown_path')).toThrow(expect.objectContaining({ reason: 'unknown_path' }));
    expect(isRefusedFor(refusal('unknown_path'), 'unknown_path')).toBe(true);
    expect(isRefusedFor(refusal('unknown_path'), 'files_off')).toBe(false);
    expect(isRefusedFor(new BrokerError('not_found', 'of an older broker'), 'unknown_path')).toBe(false);
    expect(isRefusedFor(new Error('unknown_path'), 'unknown_path')).toBe(false);
  });

  it('needs exactly the parameters that its texts name', () => {
    // @ts-expect-error the parameters are missing
    refusal('unknown_member');
    // @ts-expect-error another name
    refusal('unknown_member', { member: 'ana' });
    // @ts-expect-error this reason has no parameters
    refusal('unknown_path', { path: '/x' });
    // @ts-expect-error not in the catalog
    expect(() => refusal('no_such_reason')).toThrow();
  });
});
