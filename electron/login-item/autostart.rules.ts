/**
 * Starting at login if Electron does not support it: an entry in the desktop's autostart folder
 * (freedesktop.org, "Desktop Application Autostart Specification").
 */

/**
 * Quotes a word as the Desktop Entry Specification requires: a string value whose backslashes are escaped
 * twice.
 */
const quoted = (word: string): string =>
  `"${word
    .replaceAll(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`;

/** Returns the content of `muster.desktop`. `program` is an absolute path. */
export const autostartEntry = (program: string): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Muster',
    'Comment=The team that this computer hosts',
    `Exec=${quoted(program)} --hidden`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
