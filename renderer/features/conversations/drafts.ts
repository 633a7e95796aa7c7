/** What was typed and not sent, per scope, kept in this browser. */
const key = (scope: string): string => `muster.draft.${scope}`;

export const readDraft = (scope: string): string => localStorage.getItem(key(scope)) ?? '';

export function keepDraft(scope: string, text: string): void {
  if (text === '') localStorage.removeItem(key(scope));
  else localStorage.setItem(key(scope), text);
}
