/**
 * Runs as a classic script before the first paint, so that a dark console does not flash light. It imports nothing,
 * because a classic script cannot. `theme.ts` stores the theme and follows the system afterward.
 */
{
  const stored = localStorage.getItem('muster.theme');
  const isDark =
    stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}
