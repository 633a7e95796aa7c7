/** Whether only invited members see a channel: in the form of a new one, and in the settings of one. */
import { useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/states.tsx';
import { useRefreshChannels } from './refresh-channels.ts';

export function PrivateCheckbox({
  isPrivate,
  isBusy = false,
  onChange,
}: {
  isPrivate: boolean;
  isBusy?: boolean;
  onChange: (isPrivate: boolean) => void;
}) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={isPrivate}
        disabled={isBusy}
        onChange={({ target: { checked } }) => onChange(checked)}
      />
      Private: only invited members see it
    </label>
  );
}

interface ChannelPrivacyProps {
  slug: string;
  isPrivate: boolean;
  /** Why the member may not change it. */
  news: string | undefined;
}

export function ChannelPrivacy({ slug, isPrivate, news }: ChannelPrivacyProps) {
  const { client } = useBroker();
  const refresh = useRefreshChannels();
  const [isAsking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (next: boolean) =>
      client.call('renameChannel', { params: { slug }, body: { private: next } }),
    onSuccess: () => {
      refresh();
      setAsking(false);
    },
  });
  return (
    <>
      {news === undefined ? (
        <PrivateCheckbox
          isPrivate={isPrivate}
          isBusy={change.isPending}
          onChange={(next) => (next ? change.mutate(true) : setAsking(true))}
        />
      ) : null}
      {isAsking ? null : <FormError error={change.error} />}
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Make #${slug} public?`}
        consequence="Everyone can then join the channel and read all its messages, also those from before."
        act="Make public"
        change={change}
        news={news ?? (isPrivate ? undefined : 'This channel is public now.')}
        onConfirm={() => change.mutate(false)}
      />
    </>
  );
}
