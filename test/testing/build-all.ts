/** Builds everything that tests need. */
import { builtConsole } from '../browser/testing/built-console.ts';
import { builtCommand } from '../desktop/testing/built-command.ts';
import { builtDesktop } from '../desktop/testing/built-desktop.ts';
import { builtDocs } from './built-docs.ts';

for (const build of [builtConsole, builtDesktop, builtCommand, builtDocs]) await build();
