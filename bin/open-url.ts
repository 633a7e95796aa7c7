/** Opens an address in this person's browser. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import type { Env } from '#protocol/paths.ts';

/** The program that opens addresses, and its arguments before the address. No shell reads the address. */
const openers: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whether a browser of this machine would be in front of the person. */
export const hasBrowser = (env: Env, platform: string = process.platform): boolean =>
  env.SSH_CONNECTION === undefined && (platform in openers || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY));

/** Some systems start a browser that goes on running in the place of the program that opens addresses. */
const stillRunningMs = 2000;

/** Resolves with whether the system took the address; it does not say whether a page was shown. */
export function openUrl(url: string, env: Env, platform: string): Promise<boolean> {
  const [program, ...args] = openers[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env: { ...env } });
    const timer = setTimeout(() => resolve(true), stillRunningMs);
    const settle = (isTaken: boolean): void => {
      clearTimeout(timer);
      resolve(isTaken);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    child.unref();
  });
}
