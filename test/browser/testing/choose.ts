/** Choosing in a select of the console, for tests. */
import type { Locator, Page } from 'playwright-core';

/** Returns the select with this label in the page, or in a part of it. */
export const selectIn = (within: Page | Locator, label: string): Locator =>
  within.getByRole('combobox', { name: label, exact: true });

const pageOf = (within: Page | Locator): Page => ('page' in within ? within.page() : within);

/** Opens the list of the select, and returns its options. */
export async function optionsOf(within: Page | Locator, label: string): Promise<Locator> {
  await selectIn(within, label).click();
  const list = pageOf(within).getByRole('listbox', { name: label, exact: true });
  await list.waitFor();
  return list.getByRole('option');
}

/** Chooses the option with this whole text, and waits until its list is closed. */
export async function choose(within: Page | Locator, label: string, option: string): Promise<void> {
  await (await optionsOf(within, label))
    .filter({ has: pageOf(within).getByText(option, { exact: true }) })
    .click();
  await pageOf(within).getByRole('listbox', { name: label, exact: true }).waitFor({ state: 'detached' });
}
