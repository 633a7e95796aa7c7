/** One message: sender, time, text, and files; a notice of an objective is a subdued line. */
import { Link } from '@tanstack/react-router';
import { AlertTriangle, MailOpen, Paperclip, Reply } from 'lucide-react';
import { memo } from 'react';
import type { Message } from '#protocol/message.ts';
import { scopeOfThread } from '#protocol/scope.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Day, exactTime, Time } from '../../ui/time.tsx';
import { Quote } from './quote.tsx';
import { Receipts } from './receipts.tsx';

const toneOfLevel: Record<string, Tone> = {
  warning: 'caution',
  error: 'critical',
  critical: 'critical',
  notice: 'info',
};

export interface MessageRowProps {
  message: Message;
  isOwn: boolean;
  /** Grouped with the previous message under one name. */
  continues: boolean;
  beginsDay: boolean;
  isFirstUnread: boolean;
  isSought: boolean;
  scope: string;
  /** The message that it answers, if the thread has loaded it. */
  answered: Message | undefined;
  /** Begins an answer to it; null if the member may not post here. */
  onAnswer: ((message: Message) => void) | null;
  onMarkUnread: (message: Message) => void;
}

function Attachments({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return null;
  return (
    <ul className="mt-1 flex flex-wrap gap-1.5">
      {paths.map((path) => (
        <li key={path}>
          <Link
            to="/app/files"
            search={{ path: path.slice(0, path.lastIndexOf('/')), file: path }}
            className="inline-flex h-7 items-center gap-1.5 rounded-md border border-line bg-surface px-2 text-sm hover:border-line-strong [&_svg]:size-3.5"
          >
            <Paperclip />
            {path.slice(path.lastIndexOf('/') + 1)}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Notice({ message, isSought }: MessageRowProps) {
  const scope = scopeOfThread(message.data.thread);
  const id = scope?.kind === 'objective' ? scope.objectiveId : '';
  return (
    <div className={cx('flex items-baseline gap-2 px-4 py-1 text-sm text-soft', isSought && 'bg-selected')}>
      <span className="flex size-7 shrink-0 items-center justify-center text-faint" aria-hidden="true">
        {message.level === 'warning' ? <AlertTriangle className="size-3.5 text-caution" /> : '·'}
      </span>
      <span className="min-w-0 flex-1">
        {message.body}{' '}
        <Link to="/app/objectives/$id" params={{ id }} className="text-accent underline underline-offset-2">
          {id}
        </Link>
      </span>
      <span className="text-xs text-faint">
        <Time at={message.ts} />
      </span>
    </div>
  );
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, isOwn, continues, beginsDay, isFirstUnread, isSought, scope, answered } = props;
  const { onAnswer, onMarkUnread } = props;
  const tone = toneOfLevel[message.level];
  return (
    <article aria-label={`${message.from}, ${exactTime(message.ts)}`}>
      {beginsDay ? (
        <div className="flex items-center gap-2 px-4 pt-3 pb-1 text-xs font-medium text-soft">
          <span className="h-px flex-1 bg-line" />
          <Day at={message.ts} />
          <span className="h-px flex-1 bg-line" />
        </div>
      ) : null}
      {isFirstUnread ? (
        <div className="flex items-center gap-2 px-4 py-1 text-xs font-semibold text-critical">
          <span className="h-px flex-1 bg-critical" />
          New
        </div>
      ) : null}
      {message.data.event !== undefined ? (
        <Notice {...props} />
      ) : (
        <div
          className={cx(
            'group relative flex gap-3 px-4 hover:bg-hover/50',
            continues ? 'py-0.5' : 'pt-2 pb-0.5',
            isSought && 'bg-selected',
          )}
        >
          <div className="w-7 shrink-0">
            {continues ? (
              <span className="text-[0.625rem] leading-6 text-faint opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
                <Time at={message.ts} as="short" />
              </span>
            ) : (
              <Avatar name={message.from} />
            )}
          </div>
          <div className="min-w-0 flex-1">
            {continues ? null : (
              <div className="flex items-baseline gap-2">
                <span className="font-semibold">{message.from}</span>
                <span className="text-xs text-faint">
                  <Time at={message.ts} as="clock" />
                </span>
                {tone === undefined ? null : <Badge tone={tone}>{message.level}</Badge>}
              </div>
            )}
            {message.title === null || message.title === '' ? null : (
              <p dir="auto" className="font-semibold">
                {message.title}
              </p>
            )}
            {message.inReplyTo === undefined ? null : <Quote answered={answered} scope={scope} />}
            <Markdown text={message.body} />
            {message.auto ? <p className="text-xs text-faint">Final text of the agent’s turn</p> : null}
            <Attachments paths={message.attachments} />
          </div>
          <div
            role="toolbar"
            aria-label={`Actions for the message of ${message.from}`}
            className="absolute -top-2.5 right-4 z-10 flex rounded-md border border-line bg-raised opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100 pointer-coarse:static pointer-coarse:border-transparent pointer-coarse:bg-transparent pointer-coarse:opacity-100"
          >
            {onAnswer === null ? null : (
              <IconButton
                label={`Answer ${message.from}`}
                className="size-6!"
                onClick={() => onAnswer(message)}
              >
                <Reply />
              </IconButton>
            )}
            <IconButton
              label="Mark unread from here"
              className="size-6!"
              onClick={() => onMarkUnread(message)}
            >
              <MailOpen />
            </IconButton>
            {isOwn ? <Receipts messageId={message.id} isDirect={message.to !== null} /> : null}
          </div>
        </div>
      )}
    </article>
  );
});
