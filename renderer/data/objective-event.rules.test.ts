import { describe, expect, it } from 'vitest';
import { noticedEvent, type SaidEvent, wordsOfEvent } from './objective-event.rules.ts';

describe('an event in words', () => {
  it.each<[SaidEvent, string, string | null]>([
    [
      { actor: 'ada', kind: 'reassigned', payload: { from: 'ben', to: 'kim', note: '**soon**' } },
      'ada reassigned it from ben to kim',
      '**soon**',
    ],
    [{ actor: 'kim', kind: 'blocked', payload: { reason: 'No boat' } }, 'kim blocked it', 'No boat'],
    [{ actor: 'kim', kind: 'unblocked', payload: {} }, 'kim unblocked it', null],
    [{ actor: 'kim', kind: 'completed', payload: { result: 'Done' } }, 'kim completed it', 'Done'],
    [{ actor: 'ada', kind: 'cancelled', payload: { reason: null } }, 'ada canceled it', null],
  ])('of %j is “%s” with the detail %j', (event, text, detail) => {
    expect(wordsOfEvent(event)).toEqual({ text, detail });
  });
});

describe('the event of a notice', () => {
  it('has the sender as its actor', () => {
    const data = { event: { type: 'objective.blocked', payload: { reason: 'No boat' } } };
    expect(noticedEvent({ from: 'kim', data })).toEqual({
      actor: 'kim',
      kind: 'blocked',
      payload: { reason: 'No boat' },
    });
  });
  it.each([
    {},
    { event: { type: 'message.edited', messageId: 'm' } },
    { event: { type: 'objective.renamed', payload: {} } },
    { event: { type: 'objective.toString', payload: {} } },
    { event: { type: 'objective.blocked' } },
  ])('is null for the data %j', (data) => {
    expect(noticedEvent({ from: 'kim', data })).toBe(null);
  });
});
