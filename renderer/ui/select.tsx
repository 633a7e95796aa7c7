/** A choice of one from a list, which opens over the page. */
import { Field } from '@base-ui/react/field';
import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import { type FormEvent, type PointerEvent, use, useRef, useState } from 'react';
import { cx } from './class-names.ts';
import { FieldLabel, inputClass } from './field.tsx';

export interface Option<Value extends string = string> {
  value: Value;
  text: string;
}
export interface OptionGroup {
  label: string;
  options: readonly Option[];
}
export type Options<Value extends string = string> = readonly (
  | Option<Value>
  | (string extends Value ? OptionGroup : never)
)[];

export interface SelectProps<Value extends string> {
  /** The accessible name, if the select is not in a Field. */
  label?: string;
  value: Value;
  options: Options<Value>;
  onChoose: (value: Value) => void;
  /** Shown while the value is empty. A form is then not submitted. */
  placeholder?: string;
  isDisabled?: boolean;
  /** The name of the value in the data of the form. */
  name?: string;
  /** For the size of the select. */
  className?: string;
}

/** For a select that filters a list, beside others. */
export const filterClass = 'max-w-72 max-sm:max-w-full max-sm:grow';

const isGroup = (one: Option | OptionGroup): one is OptionGroup => 'options' in one;

/** Shows a text in full when the pointer is over it, if there is no room for it. */
function showCutText({ currentTarget }: PointerEvent<HTMLElement>): void {
  const text = currentTarget.querySelector('span');
  if (text !== null && text.scrollWidth > text.clientWidth) currentTarget.title = text.textContent;
  else currentTarget.removeAttribute('title');
}

const Item = ({ value, text }: Option) => (
  <Base.Item
    value={value}
    className="flex min-h-8 cursor-default items-center gap-2 rounded-sm py-1 pr-2 pl-1 outline-none data-highlighted:bg-hover max-md:min-h-11 forced-colors:data-highlighted:outline-2 forced-colors:data-highlighted:outline-solid forced-colors:data-highlighted:-outline-offset-2"
  >
    <span className="size-4 shrink-0">
      <Base.ItemIndicator>
        <Check className="size-4 text-accent" aria-hidden="true" />
      </Base.ItemIndicator>
    </span>
    <Base.ItemText className="min-w-0 wrap-anywhere">{text}</Base.ItemText>
  </Base.Item>
);

const List = ({ options }: { options: Options }) =>
  options.map((one) =>
    isGroup(one) ? (
      <Base.Group key={`group ${one.label}`}>
        <Base.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-soft">
          {one.label}
        </Base.GroupLabel>
        <List options={one.options} />
      </Base.Group>
    ) : (
      <Item key={one.value} {...one} />
    ),
  );

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, onChoose, placeholder, isDisabled = false, name, className } = props;
  const given: Options = props.options;
  const fieldLabel = use(FieldLabel);
  const root = useRef<HTMLDivElement>(null);
  const [isRefused, setRefused] = useState(false);
  const chosen = given
    .flatMap((one) => (isGroup(one) ? one.options : [one]))
    .find((one) => one.value === value);
  const isEmpty = chosen === undefined && value === '';
  // A value is shown even while the list does not contain it, for example because the list is not loaded yet.
  const options = chosen === undefined && !isEmpty ? [{ value, text: value }, ...given] : given;
  function refuse(event: FormEvent<HTMLElement>): void {
    event.preventDefault();
    setRefused(true);
    if (root.current?.closest('form')?.querySelector('input:invalid, textarea:invalid') === event.target)
      root.current.querySelector('button')?.focus();
  }
  function choose(next: string | null): void {
    // A choice that is made again changes nothing.
    if (next === null || next === value) return;
    setRefused(false);
    onChoose(next as Value);
  }
  return (
    <div
      ref={root}
      onInvalidCapture={refuse}
      className={cx('relative flex min-w-0 flex-col gap-1', className)}
    >
      <Base.Root
        value={isEmpty ? null : value}
        onValueChange={choose}
        required={placeholder !== undefined}
        disabled={isDisabled}
        {...(name !== undefined && { name })}
      >
        <Base.Trigger
          aria-label={label}
          aria-invalid={(isRefused && isEmpty) || undefined}
          value={value}
          onPointerEnter={showCutText}
          className={cx(
            inputClass,
            'flex min-h-8 w-full grow items-center justify-between gap-1.5 py-0! pr-2 text-left not-disabled:hover:bg-hover disabled:opacity-50 data-popup-open:bg-hover',
          )}
        >
          <span className={cx('truncate', isEmpty && 'text-faint')}>
            {chosen?.text ?? (value || placeholder)}
          </span>
          <Base.Icon className="shrink-0 text-faint">
            <ChevronDown className="size-4" aria-hidden="true" />
          </Base.Icon>
        </Base.Trigger>
        {/* Above a dialog, which would otherwise close on a press beside the list. */}
        <Base.Portal className="relative z-50">
          <Base.Positioner alignItemWithTrigger={false} align="start" sideOffset={4} className="outline-none">
            <Base.Popup
              aria-label={label ?? fieldLabel}
              className="max-h-[min(var(--available-height),24rem)] min-w-(--anchor-width) max-w-[min(var(--available-width),28rem)] overflow-y-auto overscroll-contain rounded-md border border-line bg-raised p-1 shadow-(--shadow) outline-none"
            >
              <List options={options} />
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
      {isRefused && isEmpty ? (
        <Field.Error match className="text-sm text-critical">
          {placeholder}.
        </Field.Error>
      ) : null}
    </div>
  );
}
