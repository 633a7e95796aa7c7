/** A real Chromium, and pages whose complaints are recorded. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { programPath } from '../../testing/programs.ts';

/** @throws Error that says how to install a missing Chromium. */
export const launchChromium = (...args: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: programPath('chromium'), args: ['--no-sandbox', ...args] });

let kept: Promise<Browser> | undefined;

/**
 * The Chromium of this test process, which the files of the project `browsers` share one after the other. It ends with the process; each file closes
 * the contexts that it opened.
 */
export async function sharedChromium(): Promise<Browser> {
  const former = await kept?.catch(() => undefined);
  if (former?.isConnected() !== true) kept = launchChromium();
  return kept as Promise<Browser>;
}

/** Returns the complaints of the page, including policy violations, dialogs, and requests to other origins. */
export function complaintsOf(page: Page, origin: string): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:'))
      errors.push(`request to another origin: ${url}`);
  });
  return errors;
}
