import { describe } from 'vitest';
import { completesIn } from './completing-shell.ts';

describe('the completion in bash', () =>
  completesIn({
    program: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    install: 'eval "$(muster completion bash)"',
  }));
