/** A keyboard shortcut as it is shown on this system: `mod+k`, `g h`. */
const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const nameByKey: Record<string, string> = {
  mod: isMac ? '⌘' : 'Ctrl',
  shift: isMac ? '⇧' : 'Shift',
  enter: '↵',
  escape: 'Esc',
};

export const keyNames = (keys: string): string[] =>
  keys.split(/[ +]/).map((key) => nameByKey[key] ?? key.toUpperCase());

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-0.5 whitespace-nowrap" aria-hidden="true">
      {keyNames(keys).map((name) => (
        <kbd key={name} className="rounded-sm border border-current/30 px-1 font-sans text-xs opacity-80">
          {name}
        </kbd>
      ))}
    </span>
  );
}
