import { expect, test } from 'vitest';
import { powerActions } from './power.rules.ts';

test('closes streams before sleep, opens them after it, and checks the certificate on another network', () => {
  expect(powerActions('suspend')).toEqual(['closeFeeds']);
  expect(powerActions('resume')).toEqual(['openFeeds', 'readPending', 'renewCertificate']);
  expect(powerActions('network')).toEqual(['renewCertificate']);
  expect(powerActions('shutdown')).toEqual(['quit']);
});
