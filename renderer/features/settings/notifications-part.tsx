/** Notifications of this browser, which also arrive while the console is closed. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useBroker } from '../../data/broker.tsx';
import { useSelf } from '../../data/self.tsx';
import { type PushState, pushState, turnPushOff, turnPushOn } from '../../data/web-push.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { FormError, Skeleton } from '../../ui/states.tsx';

const words: Record<PushState, string> = {
  unsupported:
    'Push messages are not available in this browser. They need HTTPS, or a browser on the broker’s machine.',
  denied: 'This browser blocks notifications from this page. Allow them in its settings, then come back.',
  off: 'This browser gets no notifications.',
  on: 'This browser gets notifications about direct messages, mentions, and objectives that concern you.',
};

export function NotificationsPart() {
  const { client } = useBroker();
  const self = useSelf().member;
  const { data, refetch } = useQuery({
    queryKey: ['push-state'],
    queryFn: () => pushState(self),
    staleTime: 0,
  });
  const change = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? turnPushOn(client, self) : turnPushOff(client)),
    onSettled: () => refetch(),
  });
  return (
    <Section title="In this browser">
      <div className="flex flex-col gap-3 p-4">
        {data === undefined ? <Skeleton className="h-8 w-64" /> : <p className="text-soft">{words[data]}</p>}
        {data === 'on' || data === 'off' ? (
          <div>
            <Button
              look={data === 'on' ? 'secondary' : 'primary'}
              isBusy={change.isPending}
              onClick={() => change.mutate(data === 'off')}
            >
              {data === 'on' ? 'Turn notifications off' : 'Turn notifications on'}
            </Button>
          </div>
        ) : null}
        <FormError error={change.error} />
      </div>
    </Section>
  );
}
