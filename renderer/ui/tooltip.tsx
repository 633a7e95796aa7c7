/** A short name on hover and focus, with its shortcut. It is never the only place of the information. */
import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { Keys } from './keys.tsx';

export function Tooltip({
  text,
  shortcut,
  children,
}: {
  text: string;
  shortcut?: string | undefined;
  children: ReactElement;
}) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6}>
          <Base.Popup className="z-50 flex items-center gap-2 rounded-md bg-text px-2 py-1 text-xs text-surface shadow-(--shadow)">
            {text}
            {shortcut === undefined ? null : <Keys keys={shortcut} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
