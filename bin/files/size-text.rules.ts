const units = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes as a person reads them: `512 B`, `1.5 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let value = bytes / 1024;
  let unit = 0;
  // A value that would round to 1024.0 belongs to the next unit.
  for (; value >= 1023.95 && unit < units.length - 1; unit++) value /= 1024;
  return `${value.toFixed(1)} ${units[unit]}`;
}
