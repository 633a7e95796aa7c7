import { describe, expect, it } from 'vitest';
import type { RetentionPolicy } from '#protocol/retention.ts';
import {
  auditBounds,
  cutoff,
  exemptFromSize,
  hasRules,
  isDue,
  isHeldScope,
  keyOfHold,
  messageAgeRule,
} from './retention.rules.ts';

const noon = Date.UTC(2026, 5, 15, 12);
const dayMs = 86_400_000;
const hold = (on: string) => ({ id: crypto.randomUUID(), on, reason: 'x', by: 'ada', at: 0 });
const policyOf = (policy: object) => policy as RetentionPolicy;

describe('a rule by age', () => {
  it('counts whole days in UTC', () => {
    expect(cutoff(1, noon)).toBe(Date.UTC(2026, 5, 14));
    expect(cutoff(1, Date.UTC(2026, 5, 15))).toBe(Date.UTC(2026, 5, 14));
    expect(cutoff(30, Date.UTC(2026, 5, 15) - 1)).toBe(Date.UTC(2026, 4, 15));
  });

  it.each([
    ['general', 'messages.days', 90],
    ['dm:ada:ben', 'messages.days', 90],
    ['obj:obj_0000000001', 'messages.days', 90],
    ['chan:ch_0000000001', 'channels.ch_0000000001.days', 7],
    ['chan:ch_0000000002', 'channels.ch_0000000002.days', 365],
  ])('is the channel’s own one or the general one: %s', (key, name, days) => {
    const channels = { ch_0000000001: { days: 7 }, ch_0000000002: { days: 365 } };
    const rule = messageAgeRule(policyOf({ messages: { days: 90 }, channels }), key, noon);
    expect(rule).toEqual({ name, before: Date.UTC(2026, 5, 15) - days * dayMs });
  });

  it('does not exist for a channel that keeps its messages, and without a rule', () => {
    const channels = { ch_0000000001: { days: null }, general: { days: null } };
    for (const key of ['general', 'chan:ch_0000000001'])
      expect(messageAgeRule(policyOf({ messages: { days: 1 }, channels }), key, noon)).toBeNull();
    expect(messageAgeRule({}, 'general', noon)).toBeNull();
    expect(messageAgeRule({ messages: { maxBytes: 1 } }, 'general', noon)).toBeNull();
  });
});

describe('a hold', () => {
  it.each([
    ['general', 'general', true],
    ['chan:ch_0000000001', 'chan:ch_0000000001', true],
    ['chan:ch_0000000001', 'chan:ch_0000000002', false],
    ['dm:ben:ada', 'dm:ada:ben', true],
    ['dm:ben:ada', 'dm:ada:cy', false],
    ['member:ben', 'dm:ada:ben', true],
    ['member:be', 'dm:ada:ben', false],
    // Each message that a held member got there is decided by itself.
    ['member:ben', 'general', false],
  ])('on %s and the conversation %s: held as a whole is %s', (on, key, isHeld) => {
    expect(isHeldScope(policyOf({ holds: [hold(on)] }), key)).toBe(isHeld);
  });

  it('wins over the rule of a channel and over the rule by size', () => {
    const channels = { ch_0000000001: { days: 1 }, ch_0000000002: { days: 2 }, general: { days: 3 } };
    const policy = policyOf({
      channels,
      holds: [hold('chan:ch_0000000001'), hold('dm:b:a'), hold('member:cy')],
    });
    expect(messageAgeRule(policy, 'chan:ch_0000000001', noon)).toBeNull();
    expect(exemptFromSize(policy).sort()).toEqual(
      ['chan:ch_0000000001', 'chan:ch_0000000001', 'chan:ch_0000000002', 'dm:a:b', 'general'].sort(),
    );
  });

  it('on a direct conversation may name its sides in any order', () => {
    expect(keyOfHold('dm:zoe:ada')).toBe('dm:ada:zoe');
    expect(keyOfHold('member:zoe')).toBe('member:zoe');
  });

  it('keeps the whole audit log', () => {
    const audit = { days: 30, maxRecords: 10_000 };
    expect(auditBounds({ audit }, noon)).not.toBeNull();
    expect(auditBounds(policyOf({ audit, holds: [hold('general')] }), noon)).toBeNull();
    expect(auditBounds({}, noon)).toBeNull();
  });
});

it('removes no record of the audit log that is younger than 30 days, however many there are', () => {
  expect(auditBounds({ audit: { maxRecords: 10_000 } }, noon)).toEqual({
    before: 0,
    maxRecords: 10_000,
    excessBefore: cutoff(30, noon),
  });
  expect(auditBounds({ audit: { days: 90 } }, noon)).toMatchObject({ before: cutoff(90, noon) });
});

it('has nothing to do without a rule that removes something', () => {
  expect(hasRules({})).toBe(false);
  expect(hasRules(policyOf({ channels: { general: { days: null } }, holds: [hold('general')] }))).toBe(false);
  expect(hasRules(policyOf({ channels: { general: { days: 1 } } }))).toBe(true);
  expect(hasRules({ audit: { days: 30 } })).toBe(true);
});

it('begins a run when it is due, also after the clock was set back', () => {
  expect(isDue(noon, noon - 1)).toBe(false);
  expect(isDue(noon, noon)).toBe(true);
  expect(isDue(noon + 3650 * dayMs, noon)).toBe(true);
});
