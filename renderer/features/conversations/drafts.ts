/**
 * A member's unsent texts per scope, in this browser. The key contains the member, so that the next one who
 * logs in does not see them.
 */
const key = (member: string, scope: string): string => `muster.draft.${member}.${scope}`;

export const readDraft = (member: string, scope: string): string =>
  localStorage.getItem(key(member, scope)) ?? '';

export function keepDraft(member: string, scope: string, text: string): void {
  if (text === '') localStorage.removeItem(key(member, scope));
  else localStorage.setItem(key(member, scope), text);
}
