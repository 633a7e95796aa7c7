/** Formats a size such as `24 B` or `1.2 MB`. */
const units = ['B', 'kB', 'MB', 'GB'] as const;

export function fileSize(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: step === 0 ? 0 : 1 });
  return `${number.format(bytes / 1000 ** step)}\u00a0${units[step] ?? 'B'}`;
}
