import { describe, expect, it } from 'vitest';
import { type Reason, refusalMessage } from '#protocol/refusals.ts';
import { sentenceOfRefusal } from './sentence-of.rules.ts';

const said = (reason: Reason, parameters: Record<string, string | number> = {}) =>
  sentenceOfRefusal(reason, refusalMessage(reason, parameters)).replaceAll('\u00a0', ' ');

describe('what a refusal says to a member', () => {
  it.each<{ reason: Reason; parameters?: Record<string, string | number>; sentence: string }>([
    {
      reason: 'name_taken',
      parameters: { name: 'ben', holder: 'Ben' },
      sentence: 'The name "ben" is taken by "Ben". Choose another name.',
    },
    {
      reason: 'name_collision',
      parameters: { path: '/ada/a; b.txt' },
      sentence: '"/ada/a; b.txt" already exists. Choose another name.',
    },
    {
      reason: 'file_too_large',
      parameters: { max: 26_214_400 },
      sentence: 'The file is larger than the 26.2 MB that this broker accepts.',
    },
    {
      reason: 'invalid_request',
      parameters: { place: 'body.role.maxItems', issue: 'must not be empty' },
      sentence: 'Role max items: must not be empty.',
    },
    {
      reason: 'parent_missing',
      parameters: { directory: '/ada/1234 bytes' },
      sentence: 'There is no directory "/ada/1234 bytes". Create the directory first.',
    },
    {
      reason: 'missing_right',
      parameters: { needs: 'objectives.reassign' },
      sentence: 'You may not do this.',
    },
    {
      reason: 'not_your_home',
      sentence:
        'You may change files only in your own home, unless you hold the permission “Manage members”.',
    },
    { reason: 'unauthenticated', sentence: 'You are not logged in anymore. Log in again.' },
    { reason: 'idempotency_key_reused', sentence: 'This was already sent with other content.' },
    { reason: 'unknown_message', sentence: 'There is no such message.' },
  ])('is a sentence: $reason', ({ reason, parameters, sentence }) => {
    expect(said(reason, parameters)).toBe(sentence);
  });

  it('is a sentence without a reason, from an older broker', () => {
    expect(sentenceOfRefusal(null, 'the broker failed; its log has the cause')).toBe(
      'The broker failed. Its log has the cause.',
    );
  });
});
