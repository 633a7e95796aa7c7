/** The theme: light, dark, or as the system has it. It is saved in this browser. */
export type Theme = 'light' | 'dark' | 'system';

const key = 'muster.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
let current: Theme = 'system';

export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function show(): void {
  const isDark = current === 'dark' || (current === 'system' && dark.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

export function applyTheme(theme: Theme): void {
  current = theme;
  if (theme === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  show();
}

dark.addEventListener('change', show);
