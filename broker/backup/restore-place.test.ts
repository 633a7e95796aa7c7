import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asWritten, filesFolder, isCertificatePlace } from './restore-place.ts';

const configPath = resolve('/team/config/svc.json');
const place = {
  configPath,
  mainPath: resolve('/team/data/main.db'),
  activityPath: resolve('/other/activity.db'),
};

describe('the folder for contents of files', () => {
  it.each(['/team/config/files', '/team/config/a/b', '/team/data/files'])(
    'is the one of the backup if it is in the place: %s',
    (named) => {
      expect(filesFolder(place, resolve(named))).toBe(resolve(named));
    },
  );

  it.each(['/etc', '/team', '/team/config', '/team/config-2/files', '/other/files', '/'])(
    'is beside the main store instead of %s',
    (named) => {
      expect(filesFolder(place, resolve(named))).toBe(resolve('/team/data/files'));
    },
  );

  it('is written as a relative path where that is shorter to move', () => {
    expect(asWritten(configPath, resolve('/team/config/a/files'))).toBe(join('a', 'files'));
    expect(asWritten(configPath, resolve('/team/data/files'))).toBe(resolve('/team/data/files'));
  });
});

describe('a certificate of a backup', () => {
  it.each(['own.key', 'certs/team.pem', 'https.CRT', 'x.cer'])('may go to %s', (name) => {
    expect(isCertificatePlace(configPath, resolve('/team/config', name))).toBe(true);
  });

  it.each([
    '../own.key',
    '/etc/ssl/own.key',
    'main.db-wal',
    'svc.json',
    'svc.json.kek',
    '.bashrc',
    '.ssh/authorized_keys',
    '.key',
  ])('may not go to %s', (name) => {
    expect(isCertificatePlace(configPath, resolve('/team/config', name))).toBe(false);
  });
});
