import { expect, it } from 'vitest';
import { autostartEntry } from './autostart.rules.ts';

it('the entry starts the app without a window', () => {
  expect(autostartEntry('/opt/Muster/muster').split('\n')).toContain('Exec="/opt/Muster/muster" --hidden');
});

it('a path with reserved characters is one word', () => {
  expect(autostartEntry('/a "b" $c/100%').split('\n')).toContain(
    'Exec="/a \\\\"b\\\\" \\\\$c/100%%" --hidden',
  );
});
