/** A few ways to show the same thing, of which one is pressed. */
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';

export interface ChoicesProps<Choice extends string> {
  label: string;
  choices: readonly Choice[];
  value: Choice;
  onChoose: (choice: Choice) => void;
}

export function Choices<Choice extends string>({ label, choices, value, onChoose }: ChoicesProps<Choice>) {
  return (
    <fieldset aria-label={label} className="flex gap-1">
      {choices.map((choice) => (
        <Button
          key={choice}
          size="small"
          look="quiet"
          aria-pressed={choice === value}
          className={cx(choice === value && 'bg-selected')}
          onClick={() => onChoose(choice)}
        >
          {choice}
        </Button>
      ))}
    </fieldset>
  );
}
