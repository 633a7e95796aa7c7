import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { SvcConfig } from '../../broker/config/svc-config.ts';
import { checkKek } from './file-checks.ts';

it('a machine without a key file is told that the key may be a variable of the service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = { store: { members: [] }, webPush: { vapidPrivateKey: 'sealed' } } as unknown as SvcConfig;
  expect(await checkKek(join(folder, 'svc.json'), config, undefined)).toMatchObject([
    { status: 'fail', remedy: expect.stringContaining('if they have SVC_KEK') },
  ]);
});
