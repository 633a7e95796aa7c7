/** The parts of the settings, by the value in the address. */

/** Of the team and its machine. */
export const teamParts = [
  { value: 'team', label: 'Team', needs: 'everyone' },
  { value: 'access', label: 'Network', needs: 'diagnostics' },
  { value: 'federation', label: 'Federation', needs: 'diagnostics' },
  { value: 'health', label: 'Storage and health', needs: 'diagnostics' },
  { value: 'retention', label: 'Retention', needs: 'diagnostics' },
  { value: 'backups', label: 'Backups', needs: 'desktop' },
  { value: 'key', label: 'Recovery key', needs: 'desktop' },
] as const;

/** Of the logged-in member in this browser. */
export const ownParts = [
  { value: 'about', label: 'Account', needs: 'everyone' },
  { value: 'notifications', label: 'Notifications', needs: 'everyone' },
] as const;

export type TeamPart = (typeof teamParts)[number]['value'];
export type OwnPart = (typeof ownParts)[number]['value'];

export const isOwnPart = (part: string | undefined): boolean => ownParts.some(({ value }) => value === part);

/** Returns the parts of the team that a member sees. `maySeeMachine`: may perform `diagnostics`. */
export const shownParts = (maySeeMachine: boolean, isDesktop: boolean) =>
  teamParts.filter(
    ({ needs }) => needs === 'everyone' || (maySeeMachine && (needs === 'diagnostics' || isDesktop)),
  );
