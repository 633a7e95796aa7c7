import { describe, expect, it } from 'vitest';
import { headingOf } from '../../docs/troubleshooting.ts';

describe('the heading of a refusal in the guide', () => {
  it('keeps a name of the API as the broker writes it', () => {
    expect(headingOf('usage_range_reversed')).toBe('query.from: must not be after query.to');
    expect(headingOf('platform_url_invalid')).toBe('platformUrl \\<fault>');
    expect(headingOf('push_key_invalid')).toBe('keys.p256dh is not a point on the curve P-256');
  });

  it('begins a sentence with a capital letter', () => {
    expect(headingOf('not_set_up')).toBe('This broker is not set up yet');
  });
});
