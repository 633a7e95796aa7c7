/** Starts the app again after it has ended. */
import process from 'node:process';
import { app } from 'electron';
import type { Env } from '#protocol/paths.ts';
import { keptArguments } from './login-item/start-arguments.rules.ts';

/** Takes effect when the process exits. `more`: arguments for the new process only. */
export function relaunchWith(env: Env, more: readonly string[]): void {
  const args = [...keptArguments(process.argv.slice(1)), ...more];
  // An AppImage runs from a mount that is gone after the exit; the variable names the file itself.
  app.relaunch(env.APPIMAGE === undefined ? { args } : { args, execPath: env.APPIMAGE });
}
