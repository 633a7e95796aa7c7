import { expect, test } from 'vitest';
import { powerActions } from './power.rules.ts';

test('streams are closed before sleep and opened after it; on another network the certificate is looked at', () => {
  expect(powerActions('suspend')).toEqual(['closeFeeds']);
  expect(powerActions('resume')).toEqual(['openFeeds', 'readPending', 'renewCertificate']);
  expect(powerActions('network')).toEqual(['renewCertificate']);
  expect(powerActions('shutdown')).toEqual(['quit']);
});
