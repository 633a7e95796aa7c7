import { describe } from 'vitest';
import { completesIn } from './completing-shell.ts';

describe('the completion in fish', () =>
  completesIn({ program: 'fish', args: ['--no-config', '-i'], install: 'muster completion fish | source' }));
