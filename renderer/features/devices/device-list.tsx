/** Everything that may act as a member: tokens, runs, and sessions of the team, or a member's own. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { devicePages, sessionPages } from '#protocol/lists.ts';
import { allOf } from '#protocol/pages.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { relationsToMember } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { cx } from '../../ui/class-names.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { SearchInput } from '../../ui/field.tsx';
import { mayNot } from '../../ui/meanwhile.tsx';
import { Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { useNow } from '../../ui/time.tsx';
import { DeviceRow } from './device-row.tsx';
import {
  type Access,
  accessOfSession,
  accessOfToken,
  type DeviceUse,
  deviceUses,
  labelOfUse,
  type Order,
  shownAccess,
} from './devices.rules.ts';

/** No event reports a use, or that something has expired. */
const againMs = 30_000;

export function DeviceList() {
  const { client } = useBroker();
  const now = useNow();
  const { data, error, refetch } = useQuery({
    queryKey: keys.devices,
    queryFn: async (): Promise<Access[]> => {
      const [tokens, sessions] = await Promise.all([allOf(devicePages(client)), allOf(sessionPages(client))]);
      return [...tokens.map(accessOfToken), ...sessions.map(accessOfSession)];
    },
    staleTime: 0,
    refetchInterval: againMs,
  });
  const [text, setText] = useState('');
  const [use, setUse] = useState<DeviceUse>('all');
  const [order, setOrder] = useState<Order>({ by: 'memberName', isDescending: false });
  const [revoking, setRevoking] = useState<Access | null>(null);
  const region = useRef<HTMLDivElement>(null);
  const shown = shownAccess(data ?? [], { text, use }, order, now);
  return (
    <Section title="Everything that has access">
      <div className="flex flex-wrap gap-2 border-b border-line px-4 py-2">
        <SearchInput label="Filter devices" value={text} onText={setText} className="w-56 max-sm:w-full" />
        <Select
          label="Which devices"
          value={use}
          options={deviceUses.map((one) => ({ value: one, text: labelOfUse[one] }))}
          onChoose={setUse}
          className="max-sm:w-full"
        />
      </div>
      {data === undefined ? <NotLoaded error={error} onRetry={refetch} rows={4} /> : null}
      {data !== undefined && shown.length === 0 ? <EmptyState title="Nothing matches the filter" /> : null}
      {/* biome-ignore lint/a11y/useSemanticElements: it takes the focus of a row that is gone */}
      <div
        ref={region}
        tabIndex={-1}
        role="group"
        aria-label="Everything that has access"
        className="outline-none"
      >
        {shown.length === 0 ? null : (
          <DeviceTable devices={shown} order={order} onOrder={setOrder} onRevoke={setRevoking} />
        )}
      </div>
      <Revocation
        access={revoking}
        hasAccess={data === undefined || data.some(({ id }) => id === revoking?.id)}
        onClose={() => setRevoking(null)}
        onRevoked={() => region.current?.focus()}
      />
    </Section>
  );
}

const columns: readonly { by: Order['by']; label: string }[] = [
  { by: 'name', label: 'Device' },
  { by: 'memberName', label: 'Member' },
  { by: 'kind', label: 'Kind' },
  { by: 'createdAt', label: 'Created' },
  { by: 'lastUsedAt', label: 'Last used' },
  { by: 'address', label: 'Address' },
];

interface DeviceTableProps {
  devices: readonly Access[];
  order: Order;
  onOrder: (order: Order) => void;
  onRevoke: (access: Access) => void;
}

function DeviceTable({ devices, order, onOrder, onRevoke }: DeviceTableProps) {
  return (
    <table className="w-full border-collapse text-left max-lg:block">
      <thead className="bg-sunken text-sm text-soft max-lg:sr-only">
        <tr className="border-b border-line">
          {columns.map(({ by, label }, at) => {
            const isSorted = order.by === by;
            return (
              <th
                key={by}
                scope="col"
                aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : undefined}
                className={cx('font-medium', at === 0 ? 'px-4' : 'px-2')}
              >
                {/* A list on a phone has no place for the order. */}
                <span className="lg:hidden">{label}</span>
                <button
                  type="button"
                  onClick={() => onOrder({ by, isDescending: isSorted && !order.isDescending })}
                  className="flex h-9 items-center gap-1 -outline-offset-2 hover:text-text max-lg:hidden"
                >
                  {label}
                  {isSorted ? (
                    order.isDescending ? (
                      <ArrowDown className="size-3.5" aria-hidden="true" />
                    ) : (
                      <ArrowUp className="size-3.5" aria-hidden="true" />
                    )
                  ) : null}
                </button>
              </th>
            );
          })}
          <th scope="col">
            <span className="sr-only">Action</span>
          </th>
        </tr>
      </thead>
      <tbody className="max-lg:block">
        {devices.map((device) => (
          <DeviceRow key={device.id} access={device} onRevoke={() => onRevoke(device)} />
        ))}
      </tbody>
    </table>
  );
}

function consequenceOf({ isPrimary, kind }: Access, isSelf: boolean): string {
  if (kind === 'run') return 'The run is disconnected within a second and ends.';
  if (kind === 'session')
    return 'Everything that this session opened ends within a second. To come back, it needs a code from the authenticator.';
  const tokens =
    'Everything that uses this token is disconnected within a second and cannot reconnect with it.';
  if (!isPrimary) return tokens;
  return `${tokens} ${isSelf ? 'Your other sessions' : 'The sessions of the member'} end as well.`;
}

interface RevocationProps {
  /** Null while nothing is asked. */
  access: Access | null;
  /** False if it has been revoked, or has expired. */
  hasAccess: boolean;
  onClose: () => void;
  onRevoked: () => void;
}

function Revocation({ access, hasAccess, onClose, onRevoked }: RevocationProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const self = useSelf().member;
  const mayRevoke = useMay('revokeToken', relationsToMember(access?.memberName ?? self, self));
  const revoke = useMutation({
    mutationFn: ({ kind, memberName, id }: Access) =>
      kind === 'session'
        ? client.call('endSession', { params: { id }, query: { member: memberName } })
        : client.call('revokeToken', { params: { name: memberName, id } }),
    onSuccess: async (_, { id, memberName }) => {
      cache.setQueryData<Access[]>(keys.devices, (held) => held?.filter((one) => one.id !== id));
      onClose();
      onRevoked();
      for (const queryKey of [keys.devices, keys.tokens(memberName), keys.sessions(memberName)])
        await cache.invalidateQueries({ queryKey });
    },
  });
  return (
    <Confirm
      isOpen={access !== null}
      onClose={onClose}
      title={access === null ? '' : `Revoke ${access.name} of ${access.memberName}?`}
      consequence={access === null ? '' : consequenceOf(access, access.memberName === self)}
      act="Revoke"
      change={revoke}
      news={
        mayRevoke
          ? hasAccess
            ? undefined
            : 'This has no access anymore: it was revoked, or has expired.'
          : mayNot
      }
      onConfirm={() => access !== null && revoke.mutate(access)}
    />
  );
}
