/** The messages of an exchange, each in its own disclosure. Long texts are shown in parts. */
import { memo, useState } from 'react';
import type { LlmExchangeEntry } from '#protocol/activity.ts';
import { Button } from '../../ui/button.tsx';
import { LongText } from './long-text.tsx';
import { resultText } from './tool-call.rules.ts';
import { ResultFold, ToolCall } from './tool-call.tsx';

type Message = LlmExchangeEntry['request']['messages'][number];

type Block = Message['content'][number];

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

export function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case 'text':
      return <LongText label="Text" text={textOf(block.text)} />;
    case 'thinking':
      return (
        <details>
          <summary className="text-soft">Thinking</summary>
          <LongText label="Thinking" text={textOf(block.thinking ?? block.text)} />
        </details>
      );
    case 'tool_use':
      return <ToolCall name={textOf(block.name)} input={block.input} />;
    case 'tool_result':
      return (
        <ResultFold
          text={resultText(block.content)}
          isError={block.is_error === true || block.isError === true}
        />
      );
    case 'image':
      return <p className="text-soft">[image]</p>;
    default:
      return <LongText label="Other content" text={textOf(block)} />;
  }
}

const MessageView = memo(function MessageView({ message, isOpen }: { message: Message; isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const first = message.content.find(({ type }) => type === 'text');
  const gist =
    first === undefined
      ? message.content.map(({ type }) => type).join(', ')
      : textOf(first.text).slice(0, 120);
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="rounded-md border border-line"
    >
      <summary className="flex gap-2 px-3 py-1.5">
        <span className="w-20 shrink-0 font-medium">{message.role}</span>
        <span className="truncate text-soft">{gist}</span>
      </summary>
      {open ? (
        <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
          {message.content.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no names and never move
            <BlockView key={index} block={block} />
          ))}
        </div>
      ) : null}
    </details>
  );
});

const maxMessages = 30;

export function ExchangeMessages({
  title,
  messages,
  openLast,
}: {
  title: string;
  messages: readonly Message[];
  openLast: boolean;
}) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? messages : messages.slice(-maxMessages);
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h3 className="font-semibold">{title}</h3>
      {shown.length < messages.length ? (
        <Button size="small" look="quiet" onClick={() => setAll(true)}>
          Show earlier messages ({messages.length - shown.length})
        </Button>
      ) : null}
      {shown
        .map((message, index) => ({ message, place: messages.length - shown.length + index }))
        .map(({ message, place }) => (
          <MessageView key={place} message={message} isOpen={openLast && place === messages.length - 1} />
        ))}
    </section>
  );
}
