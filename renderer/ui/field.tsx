/** Inputs with their label, hint, and error. */
import { Field as Base } from '@base-ui/react/field';
import { type ComponentProps, createContext, type KeyboardEvent, type ReactNode, useState } from 'react';
import { cx } from './class-names.ts';
import { isComposing } from './composing.ts';

export const inputClass =
  'rounded-md border border-line-strong bg-surface px-2.5 py-1.5 text-base text-text placeholder:text-faint aria-invalid:border-critical';

/** The label of the field around an input. */
export const FieldLabel = createContext<string | undefined>(undefined);

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** One sentence, which is shown and announced to screen readers. */
  error?: string | undefined;
  children: ReactNode;
}

export function Field({ label, hint, error, children }: FieldProps) {
  return (
    <Base.Root invalid={error !== undefined} className="flex flex-col gap-1">
      <Base.Label className="text-sm font-medium text-text">{label}</Base.Label>
      <FieldLabel value={label}>{children}</FieldLabel>
      {hint === undefined ? null : <Base.Description className="text-sm text-soft">{hint}</Base.Description>}
      {error === undefined ? null : (
        <Base.Error match className="text-sm text-critical">
          {error}
        </Base.Error>
      )}
    </Base.Root>
  );
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return (
    <Base.Control
      render={<input type="text" dir="auto" {...rest} className={cx(inputClass, 'h-8 w-full', className)} />}
    />
  );
}

/** Submits the form around the target, or else the first one in the element, with Ctrl or Cmd and Enter. */
export function submitByKeys(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget } = event;
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isComposing(event.nativeEvent)) return;
  // A dialog over this one reports its events here, too.
  if (event.defaultPrevented || !(target instanceof Element) || !currentTarget.contains(target)) return;
  const form = target.closest('form') ?? currentTarget.querySelector('form');
  if (form === null) return;
  event.preventDefault();
  // The click of a button that is busy or disabled submits nothing.
  form.querySelector<HTMLElement>('button[type="submit"]')?.click();
}

export interface FieldFormProps {
  /** Called in place of the browser's own sending. */
  onSubmit: () => void;
  /** Replaces the column with its gaps. */
  className?: string;
  children: ReactNode;
}

/** A form around fields, one below the other. */
export function FieldForm({ onSubmit, className = 'flex flex-col gap-4', children }: FieldFormProps) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** Enter makes a new line, and Ctrl or Cmd with Enter submits the form. */
export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <Base.Control
      render={
        <textarea
          rows={4}
          dir="auto"
          onKeyDown={submitByKeys}
          {...rest}
          className={cx(inputClass, 'w-full', className)}
        />
      }
    />
  );
}

export interface SearchInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  label: string;
  /** The value in the URL. */
  value: string;
  onText: (text: string) => void;
}

/**
 * A search or filter without a visible label; `label` is its accessible name. Typed text shows immediately;
 * the URL follows later.
 */
export function SearchInput({ label, className, value, onText, ...rest }: SearchInputProps) {
  const [state, setState] = useState({ text: value, seen: value, told: [] as readonly string[] });
  if (value !== state.seen) {
    const at = state.told.indexOf(value);
    setState(
      at < 0
        ? { text: value, seen: value, told: [] }
        : { ...state, seen: value, told: state.told.slice(at + 1) },
    );
  }
  return (
    <input
      type="search"
      dir="auto"
      aria-label={label}
      placeholder={label}
      {...rest}
      value={state.text}
      onChange={({ target: { value: text } }) => {
        setState((before) => ({ ...before, text, told: [...before.told, text] }));
        onText(text);
      }}
      className={cx(inputClass, 'h-8', className)}
    />
  );
}
