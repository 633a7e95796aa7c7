import { describe } from 'vitest';
import { completesIn } from './completing-shell.ts';

describe('the completion in zsh', () =>
  completesIn({ program: 'zsh', args: ['-f', '-i'], install: 'eval "$(muster completion zsh)"' }));
