/**
 * Runs as a classic script before the first paint, so that a dark console does not flash light, and the frame of a screen is drawn at once. It imports nothing,
 * because a classic script cannot. `theme.ts` stores the theme and follows the system afterward.
 */
{
  const stored = localStorage.getItem('muster.theme');
  const isDark =
    stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const { dataset } = document.documentElement;
  dataset.theme = isDark ? 'dark' : 'light';
  // These screens have no frame.
  const isAlone = /^\/app\/(?:trust|approve)$/.test(location.pathname);
  if (location.pathname.startsWith('/app') && !isAlone) dataset.frame = '';
}
