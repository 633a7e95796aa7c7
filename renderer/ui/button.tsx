/** Buttons. A destructive button names its action. */
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { cx } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

const lookClass: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line-strong bg-surface text-text hover:bg-hover',
  quiet: 'text-soft hover:bg-hover hover:text-text',
  danger: 'border border-critical text-critical hover:bg-critical-soft',
};

type Size = 'small' | 'normal';

/** For a link within text, which looks like a link. */
export const linkClass = 'text-accent underline underline-offset-2';

/** For a link that looks like a button. */
export const buttonClass = (look: Look = 'secondary', size: Size = 'normal'): string =>
  cx(
    'inline-flex items-center justify-center gap-1.5 rounded-md font-medium transition-colors select-none disabled:opacity-55 aria-disabled:opacity-55',
    size === 'small' ? 'min-h-7 px-2 text-sm' : 'min-h-8 px-3 text-base',
    // It names what it acts on.
    look === 'danger' ? 'min-w-0 wrap-anywhere' : cx('whitespace-nowrap', size === 'small' ? 'h-7' : 'h-8'),
    lookClass[look],
  );

/** A disabled button would lose the focus. */
const busy = {
  disabled: false,
  'aria-busy': true,
  'aria-disabled': true,
  onClick: (event: MouseEvent) => event.preventDefault(),
};

export interface ButtonProps extends ComponentProps<'button'> {
  look?: Look;
  size?: Size;
  /** Shown while a request is pending. The button stays in place, keeps the focus, and cannot be pressed again. */
  isBusy?: boolean;
}

export function Button({
  look = 'secondary',
  size = 'normal',
  isBusy = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button type="button" {...rest} {...(isBusy && busy)} className={cx(buttonClass(look, size), className)}>
      {children}
    </button>
  );
}

/** A square button with an icon; `label` is its accessible name and its tooltip. */
export function IconButton({
  label,
  shortcut,
  children,
  className,
  ...rest
}: ComponentProps<'button'> & { label: string; shortcut?: string | undefined; children: ReactNode }) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={cx(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-soft transition-colors hover:bg-hover hover:text-text disabled:opacity-55 [&_svg]:size-4',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  );
}
