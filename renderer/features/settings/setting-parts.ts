/** The parts of the settings, by the value in the address. */
export const settingParts = [
  { value: 'team', label: 'Team', needs: 'everyone' },
  { value: 'notifications', label: 'Notifications', needs: 'everyone' },
  { value: 'access', label: 'LAN access', needs: 'diagnostics' },
  { value: 'federation', label: 'Federation', needs: 'diagnostics' },
  { value: 'health', label: 'Storage and health', needs: 'diagnostics' },
  { value: 'retention', label: 'Retention', needs: 'diagnostics' },
  { value: 'backups', label: 'Backups', needs: 'desktop' },
  { value: 'key', label: 'Recovery key', needs: 'desktop' },
  { value: 'about', label: 'Account and about', needs: 'everyone' },
] as const;

export type SettingPart = (typeof settingParts)[number]['value'];

/** Returns the parts that a member sees. `maySeeMachine`: may perform `diagnostics`. */
export const shownParts = (maySeeMachine: boolean, isDesktop: boolean) =>
  settingParts.filter(
    ({ needs }) => needs === 'everyone' || (maySeeMachine && (needs === 'diagnostics' || isDesktop)),
  );
