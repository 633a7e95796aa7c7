/** The list of objectives with a selection, and the actions on what is selected. */
import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { useScreenCommands } from '../../commands/screen-commands.ts';
import type { Line } from './arrangement.rules.ts';
import type { BulkAct } from './bulk.rules.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { ObjectiveList } from './objective-list.tsx';
import { extendedTo, nothingSelected, toggledIn } from './selection.rules.ts';
import { SelectionBar } from './selection-bar.tsx';

export interface SelectableListProps {
  lines: readonly Line[];
  onPeek: (id: string) => void;
  /** Shown instead of rows if there are none. */
  nothing: ReactNode;
  /** The content after the last row. */
  end: ReactNode;
}

export function SelectableList({ lines, onPeek, nothing, end }: SelectableListProps) {
  const objectives = useMemo(
    () => lines.flatMap((line) => (line.kind === 'objective' ? [line.objective] : [])),
    [lines],
  );
  const [selection, setSelection] = useState(nothingSelected);
  /** The subject of the dialog; it stays while the dialog closes. */
  const [bulk, setBulk] = useState<{ act: BulkAct; selected: readonly Objective[]; isOpen: boolean } | null>(
    null,
  );
  /** Whether the dialog has changed something; if not, its button gets the focus again. */
  const hasChanged = useRef(false);
  const content = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLElement>(null);
  /** Only what is shown is selected; what a filter hides is left alone. */
  const selected = objectives.filter(({ id }) => selection.ids.has(id));
  const select = (id: string, isRange: boolean) =>
    setSelection((before) =>
      isRange
        ? extendedTo(
            before,
            objectives.map((one) => one.id),
            id,
          )
        : toggledIn(before, id),
    );
  function clear(): void {
    (content.current?.contains(document.activeElement) === true &&
    bar.current?.contains(document.activeElement)
      ? content.current.querySelector<HTMLElement>('[data-row]')
      : null
    )?.focus();
    setSelection(nothingSelected);
  }
  const commands = useMemo(
    () => [
      {
        id: 'select-objective',
        title: 'Select the objective',
        keys: 'x',
        run: () =>
          document.activeElement
            ?.closest('li')
            ?.querySelector<HTMLElement>('input[type="checkbox"]')
            ?.click(),
      },
    ],
    [],
  );
  useScreenCommands(commands);
  function focusAfter(): HTMLElement | null {
    if (!hasChanged.current) return null;
    if (bar.current !== null) return bar.current;
    const changed = new Set<string>(bulk?.selected.map(({ id }) => id));
    const rows = [...(content.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    return rows.find((row) => !changed.has(row.dataset.row ?? '')) ?? content.current;
  }
  return (
    <div ref={content} tabIndex={-1} className="flex h-full flex-col outline-none">
      {selected.length === 0 ? null : (
        <SelectionBar
          bar={bar}
          count={selected.length}
          shown={objectives.length}
          onAll={() => setSelection({ ids: new Set(objectives.map(({ id }) => id)), anchor: null })}
          onAct={(act) => {
            hasChanged.current = false;
            setBulk({ act, selected, isOpen: true });
          }}
          onClear={clear}
        />
      )}
      <div className="min-h-0 flex-1">
        {lines.length === 0 ? (
          <>
            {nothing}
            {end}
          </>
        ) : (
          <ObjectiveList
            lines={lines}
            onPeek={onPeek}
            selected={selection.ids}
            onSelect={select}
            onClear={clear}
            end={end}
          />
        )}
      </div>
      {bulk === null ? null : (
        <BulkDialog
          {...bulk}
          onClose={() => setBulk({ ...bulk, isOpen: false })}
          onChanged={(changed) => {
            hasChanged.current ||= changed.length > 0;
            const gone = new Set<string>(changed.map(({ id }) => id));
            setSelection(({ ids }) => ({
              ids: new Set([...ids].filter((id) => !gone.has(id))),
              anchor: null,
            }));
          }}
          focusAfter={focusAfter}
        />
      )}
    </div>
  );
}
