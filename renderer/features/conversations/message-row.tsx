/** One message: sender, time, text, and files; a notice of an objective is a subdued line. */
import { Link } from '@tanstack/react-router';
import { AlertTriangle } from 'lucide-react';
import { memo } from 'react';
import type { Message } from '#protocol/message.ts';
import { acceptedAt } from '#protocol/message-time.ts';
import { type NoticedChange, noticedChange } from '../../data/message-changes.rules.ts';
import { noticedEvent, wordsOfEvent } from '../../data/objective-event.rules.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { linkClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { KindBadge } from '../../ui/kind.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Day, exactTime, Time } from '../../ui/time.tsx';
import { MessageAttachments } from './message-attachments.tsx';
import { MessageToolbar } from './message-toolbar.tsx';
import { Quote } from './quote.tsx';
import type { MessageActions } from './use-message-actions.ts';

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
  actions: MessageActions;
}

function ChangeNotice({ message, isSought, scope, change }: MessageRowProps & { change: NoticedChange }) {
  return (
    <p
      className={cx('flex items-baseline gap-2 px-4 py-1 pl-14 text-sm text-soft', isSought && 'bg-selected')}
    >
      <span className="min-w-0 flex-1">
        {message.from} {change.kind} a message{' '}
        <Link
          to="/app/conversations/$scope"
          params={{ scope }}
          search={{ message: change.messageId }}
          className={linkClass}
        >
          Go to the message
        </Link>
      </span>
      <span className="text-xs text-faint">
        <Time at={acceptedAt(message)} as="clock" />
      </span>
    </p>
  );
}

function Notice(props: MessageRowProps) {
  const change = noticedChange(props.message);
  return change === null ? <EventNotice {...props} /> : <ChangeNotice {...props} change={change} />;
}

function EventNotice({ message, isSought }: MessageRowProps) {
  const event = noticedEvent(message);
  const { text, detail } = event === null ? { text: message.body, detail: null } : wordsOfEvent(event);
  return (
    <div className={cx('flex items-baseline gap-2 px-4 py-1 text-sm text-soft', isSought && 'bg-selected')}>
      <span className="flex size-7 shrink-0 items-center justify-center text-faint" aria-hidden="true">
        {message.level === 'warning' ? <AlertTriangle className="size-3.5 text-caution" /> : '·'}
      </span>
      <div className="min-w-0 flex-1">
        {text}
        {detail === null ? null : (
          <div className="max-w-[60ch] text-text">
            <Markdown text={detail} />
          </div>
        )}
      </div>
      <span className="text-xs text-faint">
        <Time at={acceptedAt(message)} as="clock" />
      </span>
    </div>
  );
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, isOwn, continues, beginsDay, isFirstUnread, isSought, scope, answered } = props;
  const { actions } = props;
  const tone = toneOfLevel[message.level];
  return (
    <article
      aria-label={`${message.from}, ${exactTime(acceptedAt(message))}`}
      aria-current={isSought ? 'true' : undefined}
      data-message={message.id}
      data-press
      tabIndex={-1}
      className="group -outline-offset-2"
    >
      {beginsDay ? (
        <div className="flex items-center gap-2 px-4 pt-3 pb-1 text-xs font-medium text-soft">
          <span className="h-px flex-1 bg-line" />
          <Day at={acceptedAt(message)} />
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
            'relative flex gap-3 px-4 hover:bg-hover/50',
            continues ? 'py-0.5' : 'pt-2 pb-0.5',
            isSought && 'bg-selected',
          )}
        >
          <div className="w-7 shrink-0">
            {continues ? (
              <span className="text-[0.625rem] leading-6 text-faint opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
                <Time at={acceptedAt(message)} as="short" />
              </span>
            ) : (
              <Avatar name={message.from} />
            )}
          </div>
          <div className="min-w-0 flex-1">
            {continues ? null : (
              <div className="flex items-baseline gap-2">
                <span className="font-semibold wrap-anywhere">{message.from}</span>
                <KindBadge name={message.from} />
                <span className="text-xs text-faint">
                  <Time at={acceptedAt(message)} as="clock" />
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
            {message.deleted === undefined ? (
              <Markdown text={message.body} />
            ) : (
              <p className="text-soft italic">{message.body}</p>
            )}
            {message.edited === undefined || message.deleted !== undefined ? null : (
              <p className="text-xs text-faint">
                Edited <Time at={message.edited.at} />
              </p>
            )}
            {message.auto ? <p className="text-xs text-faint">Final text of the agent’s turn</p> : null}
            <MessageAttachments paths={message.attachments} />
          </div>
          <MessageToolbar message={message} isOwn={isOwn} actions={actions} />
        </div>
      )}
    </article>
  );
});
