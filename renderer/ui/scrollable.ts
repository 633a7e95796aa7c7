/** What makes a part that scrolls reachable by keyboard, with a name. */
export const scrollable = (name: string, role: 'group' | 'region' = 'group') => ({
  tabIndex: 0,
  role,
  'aria-label': name,
});
