import { describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { createTurnCauses } from './turn-causes.ts';

describe('the causes of a post', () => {
  it('are what was handed over since the turn before, also right after the end of the turn', () => {
    const causes = createTurnCauses();
    causes.handedOver(['a']);
    causes.handedOver(['b']);
    causes.turnEnded();
    causes.handedOver([]);
    expect(causes.current()).toEqual(['a', 'b']);
    causes.handedOver(['c']);
    expect(causes.current()).toEqual(['c']);
  });

  it('are none in a turn that a person begins', () => {
    const causes = createTurnCauses();
    causes.handedOver(['a']);
    causes.forget();
    expect(causes.current()).toEqual([]);
  });

  it('are the newest ones, each once', () => {
    const causes = createTurnCauses();
    const ids = Array.from({ length: 2 * limits.holds.causes }, (_, index) => `${index}`);
    causes.handedOver([...ids, ...ids]);
    expect(causes.current()).toEqual(ids.slice(-limits.holds.causes));
  });
});
