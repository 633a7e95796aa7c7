/** The unread messages of the open conversation, and how to get there. */
import { AtSign, CheckCheck } from 'lucide-react';
import { counted } from '#protocol/counted.ts';
import { Button } from '../../ui/button.tsx';

export interface UnreadBarProps {
  count: number;
  mentions: number;
  onFirst: () => void;
  onMention: () => void;
  onRead: () => void;
}

export function UnreadBar({ count, mentions, onFirst, onMention, onRead }: UnreadBarProps) {
  return (
    <section
      aria-label="Unread messages"
      className="absolute inset-x-0 top-2 z-10 mx-auto flex w-fit max-w-[calc(100%-1rem)] flex-wrap items-center justify-center gap-1 rounded-md border border-line bg-raised p-1 text-sm shadow-(--shadow)"
    >
      <Button look="quiet" size="small" className="text-critical" onClick={onFirst}>
        {count} new{mentions > 0 ? `, ${counted(mentions, 'mention')}` : ''}
      </Button>
      {mentions > 0 ? (
        <Button look="quiet" size="small" className="max-lg:[&_svg]:hidden" onClick={onMention}>
          <AtSign className="size-3.5" />
          Next mention
        </Button>
      ) : null}
      <Button look="quiet" size="small" className="max-lg:[&_svg]:hidden" onClick={onRead}>
        <CheckCheck className="size-3.5" />
        Mark as read
      </Button>
    </section>
  );
}
