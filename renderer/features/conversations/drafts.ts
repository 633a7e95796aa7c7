/** What a member typed and did not send, per scope, kept in this browser: it is not what somebody else says who logs in here. */
const key = (member: string, scope: string): string => `muster.draft.${member}.${scope}`;

export const readDraft = (member: string, scope: string): string =>
  localStorage.getItem(key(member, scope)) ?? '';

export function keepDraft(member: string, scope: string, text: string): void {
  if (text === '') localStorage.removeItem(key(member, scope));
  else localStorage.setItem(key(member, scope), text);
}
