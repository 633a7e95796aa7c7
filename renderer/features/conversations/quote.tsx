/** The message that another one answers: one line of it, which leads there. */
import { Link } from '@tanstack/react-router';
import { CornerUpLeft } from 'lucide-react';
import type { Message } from '#protocol/message.ts';

const maxCharacters = 160;

/** Returns the beginning of a message in one line. */
export function quoteOf({ from, title, body }: Message): string {
  const line = `${title === null || title === '' ? '' : `${title} – `}${body}`.slice(0, maxCharacters);
  return `${from}: ${line.replaceAll(/\s+/g, ' ').trim()}`;
}

/** `answered` is undefined if the message is not among those that the thread has loaded. */
export function Quote({ answered, scope }: { answered: Message | undefined; scope: string }) {
  const look = 'flex min-w-0 items-center gap-1 text-sm text-soft [&_svg]:size-3.5 [&_svg]:shrink-0';
  if (answered === undefined)
    return (
      <p className={look}>
        <CornerUpLeft />
        Answers a message that is not shown here
      </p>
    );
  return (
    <Link
      to="/app/conversations/$scope"
      params={{ scope }}
      search={{ message: answered.id }}
      className={`${look} hover:text-text`}
    >
      <CornerUpLeft />
      <span className="truncate">{quoteOf(answered)}</span>
    </Link>
  );
}
