import process from 'node:process';
import { expect, it, vi } from 'vitest';
import { createTable } from './table.ts';

it('the rows of a later page stand under the header, unless they are too long', () => {
  vi.stubEnv('NO_COLOR', '1').stubEnv('FORCE_COLOR', undefined);
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const printRows = createTable(['NAME', 'ROLE']);
  printRows([['benedict', 'cook']]);
  printRows([
    ['maximiliane', 'cook'],
    ['cy', 'cook'],
  ]);
  const lines = write.mock.calls.map(([text]) => text);
  write.mockRestore();
  vi.unstubAllEnvs();
  expect(lines).toEqual(['NAME      ROLE\n', 'benedict  cook\n', 'maximiliane  cook\n', 'cy        cook\n']);
});
