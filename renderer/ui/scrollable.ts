/** Returns the attributes that make a scrollable element reachable by keyboard, with an accessible name. */
export const scrollable = (name: string, role: 'group' | 'region' = 'group') => ({
  tabIndex: 0,
  role,
  'aria-label': name,
});
