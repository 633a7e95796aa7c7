import { expect, test } from 'vitest';
import { bucketEnvironment } from './run-backup.ts';

test('a backup gets what the client of a bucket reads, and no other variable', () => {
  const ofBucket = { AWS_REGION: 'eu', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_PROFILE: 'c' };
  const others = { AWS_LAMBDA_FUNCTION_NAME: 'd', AWS_VAULT: 'e', SVC_KEK: 'f', ANTHROPIC_API_KEY: 'g' };
  expect(bucketEnvironment({ ...ofBucket, ...others, AWS_SESSION_TOKEN: undefined })).toEqual(ofBucket);
});
