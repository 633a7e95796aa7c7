/** Saves a file on this computer. */
const keptMs = 60_000;

/** The type of the file does not matter for saving, and a page of a member must never open as one of this origin. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file.slice(0, file.size, 'application/octet-stream'));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers begin the download only later.
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}
