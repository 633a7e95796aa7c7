/** Notifications: of this browser, which also arrive while the console is closed, and of the member's other ones. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { PushSubscriptionInfo } from '#protocol/web-push.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import {
  ownPushId,
  type PushState,
  pushState,
  settlePush,
  turnPushOff,
  turnPushOn,
} from '../../data/web-push.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState, FormError, ListSkeleton, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

const words: Record<PushState, string> = {
  unsupported:
    'Push messages are not available in this browser. They need HTTPS, or a browser on the broker’s machine.',
  denied: 'This browser blocks notifications from this page. Allow them in its settings, then come back.',
  off: 'This browser gets no notifications.',
  on: 'This browser gets notifications about direct messages, mentions, and objectives that concern you.',
};

const credentialWords = { session: 'a session', bearer: 'a token', jwt: 'a platform' } as const;

function SubscriptionRow({ subscription }: { subscription: PushSubscriptionInfo }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { id, device, host, createdAt, lastSuccessAt, lastFailureAt, credential } = subscription;
  const remove = useMutation({
    mutationFn: () => client.call('unsubscribePush', { params: { id } }),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.pushSubscriptions }),
  });
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <div className="flex flex-wrap items-center gap-3">
        <span className="min-w-40 flex-1">
          <span className="block font-medium">{device}</span>
          <span className="block text-sm text-soft">
            <span className="break-all">{host}</span> · added by {credentialWords[credential.plane]}{' '}
            <Time at={createdAt} /> ·{' '}
            {lastSuccessAt === null ? (
              'nothing delivered yet'
            ) : (
              <>
                last taken by the push service <Time at={lastSuccessAt} />
              </>
            )}
            {lastFailureAt === null ? null : (
              <>
                {' '}
                · last failed <Time at={lastFailureAt} />
              </>
            )}
          </span>
        </span>
        {id === ownPushId() ? <Badge tone="positive">this browser</Badge> : null}
        <Button size="small" look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
          Remove
        </Button>
      </div>
      <FormError error={remove.error} />
    </li>
  );
}

export function NotificationsPart() {
  const { client, transport } = useBroker();
  /** The app shows notifications by itself, without a subscription. */
  const isApp = transport.kind === 'desktop';
  const cache = useQueryClient();
  const self = useSelf().member;
  const { data, error } = useQuery({
    queryKey: keys.pushSubscriptions,
    queryFn: async () => {
      // If it fails, this browser is not on the list, and the state says so.
      await settlePush(client, self).catch(() => undefined);
      const { subscriptions } = await client.call('pushSubscriptions', {});
      const state = await pushState(
        client,
        self,
        subscriptions.map(({ id }) => id),
      );
      return { subscriptions, state };
    },
    // No event reports a subscription or a delivery.
    staleTime: 0,
  });
  const change = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? turnPushOn(client, self) : turnPushOff(client)),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.pushSubscriptions }),
  });
  const state = data?.state;
  return (
    <div className="flex flex-col gap-4">
      <Section title={isApp ? 'In this app' : 'In this browser'}>
        <div className="flex flex-col gap-3 p-4">
          {isApp ? (
            <p className="text-soft">
              The app shows notifications about direct messages, mentions, objectives that concern you, and
              devices that ask to join, while its window is not in front. Turn them off in the settings of
              your system.
            </p>
          ) : state === undefined ? (
            <Skeleton className="h-8 w-64" />
          ) : (
            <p className="text-soft">{words[state]}</p>
          )}
          {!isApp && (state === 'on' || state === 'off') ? (
            <div>
              <Button
                look={state === 'on' ? 'secondary' : 'primary'}
                isBusy={change.isPending}
                onClick={() => change.mutate(state === 'off')}
              >
                {state === 'on' ? 'Turn notifications off' : 'Turn notifications on'}
              </Button>
            </div>
          ) : null}
          <FormError error={change.error} />
        </div>
      </Section>
      <Section title="Where you get notifications">
        {error !== null ? <ErrorState error={error} /> : null}
        {data === undefined && error === null ? <ListSkeleton rows={2} /> : null}
        {data?.subscriptions.length === 0 ? (
          <p className="px-4 py-4 text-soft">No browser or program gets notifications for you.</p>
        ) : null}
        <ul>
          {(data?.subscriptions ?? []).map((subscription) => (
            <SubscriptionRow key={subscription.id} subscription={subscription} />
          ))}
        </ul>
        <p className="border-t border-line px-4 py-3 text-sm text-soft">
          A subscription ends with the session or token that made it.
          {!isApp && state === 'on' ? ' This browser subscribes again when you log in again.' : ''}
        </p>
      </Section>
    </div>
  );
}
