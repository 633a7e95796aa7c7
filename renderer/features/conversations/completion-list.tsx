/** The list of completions above the text. */
import { cx } from '../../ui/class-names.ts';

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
          onClick={() => onChoose(option)}
          className={cx('rounded-sm px-2 py-1', index === active && 'bg-selected')}
        >
          {option}
        </div>
      ))}
    </div>
  );
}
