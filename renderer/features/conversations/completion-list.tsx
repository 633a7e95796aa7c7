/** The list of completions above the text. */
import { cx } from '../../ui/class-names.ts';
import { KindBadge } from '../../ui/kind.tsx';

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

export interface CompletionListProps {
  id: string;
  options: readonly string[];
  active: number;
  onChoose: (option: string) => void;
}

export function CompletionList({ id, options, active, onChoose }: CompletionListProps) {
  return (
    <div
      id={id}
      role="listbox"
      tabIndex={-1}
      aria-label="Completions"
      className="absolute bottom-full left-4 z-10 mb-1 w-56 rounded-md border border-line bg-raised p-1 shadow-(--shadow)"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys go through the text
        // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus
        <div
          key={option}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          // The text keeps the focus, and with it the on-screen keyboard.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
          className={cx(
            'flex justify-between rounded-sm px-2 py-1 pointer-coarse:min-h-10 pointer-coarse:items-center',
            index === active && 'bg-selected',
          )}
        >
          {option}
          {option.startsWith('@') ? <KindBadge name={option.slice(1)} /> : null}
        </div>
      ))}
    </div>
  );
}
