/** The parts of the place of the logged-in member in this browser, by the value in the address. */
export const ownParts = [
  { value: 'about', label: 'Account' },
  { value: 'notifications', label: 'Notifications' },
] as const;

export type OwnPart = (typeof ownParts)[number]['value'];

export const isOwnPart = (part: string | undefined): boolean => ownParts.some(({ value }) => value === part);
