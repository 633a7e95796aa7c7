/**
 * Loaded before the program (`--import`): it makes this checkout a later version of itself, which knows so many migrations more
 * as `MUSTER_TEST_LATER` says. A worker thread loads it as well.
 */
import process from 'node:process';
import { mainMigrations } from '../../broker/storage/main.migrations.ts';

for (let later = 1; later <= Number(process.env.MUSTER_TEST_LATER); later += 1)
  (mainMigrations as string[]).push(`CREATE TABLE later_${later} (id INTEGER PRIMARY KEY) STRICT;`);
