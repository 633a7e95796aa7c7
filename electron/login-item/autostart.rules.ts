/** Starting at login where the engine has no word for it: an entry of the desktop's own autostart folder (freedesktop.org "Desktop Application Autostart"). */

/** As the specification of desktop entries quotes a word: a string value whose backslashes are escaped once more. */
const quoted = (word: string): string =>
  `"${word
    .replaceAll(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`;

/** Content of `muster.desktop`. `program` is absolute. */
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
