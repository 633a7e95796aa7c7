import { expect, it } from 'vitest';
import { autostartEntry } from './autostart.rules.ts';

it('writes an entry that starts the app without a window', () => {
  expect(autostartEntry('/opt/Muster/muster').split('\n')).toContain('Exec="/opt/Muster/muster" --hidden');
});

it('quotes a path with reserved characters as one word', () => {
  expect(autostartEntry('/a "b" $c/100%').split('\n')).toContain(
    'Exec="/a \\\\"b\\\\" \\\\$c/100%%" --hidden',
  );
});
