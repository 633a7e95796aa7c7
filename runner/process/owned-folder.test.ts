import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { abandonedFolders, makeOwnedFolder } from './owned-folder.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'muster-owned-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

const gone = (mark: string): string => join(parent, `svc-999999999-1-${mark.repeat(12)}`);

describe('a folder of one process', () => {
  it('is abandoned once that process is gone, and not before', () => {
    const own = makeOwnedFolder(parent, 'svc');
    mkdirSync(gone('a'), { mode: 0o700 });
    mkdirSync(join(parent, basename(gone('b')).replace('svc', 'run')), { mode: 0o700 });
    expect(abandonedFolders(parent, 'svc')).toEqual([gone('a')]);
    expect(own).toContain(`svc-${process.pid}-`);
  });

  // In a folder that all users share, anybody can create one of this name, and move its contents while it is
  // being deleted.
  it.skipIf(process.platform === 'win32')('is rejected if others can write to it or if it is a link', () => {
    mkdirSync(gone('a'));
    chmodSync(gone('a'), 0o777);
    mkdirSync(join(parent, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(parent, 'elsewhere'), gone('b'));
    expect(abandonedFolders(parent, 'svc')).toEqual([]);
  });
});
