/** Saves a file that the page made. */
const keptMs = 60_000;

export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers begin the download only later.
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}
