/** Every machine and program that may act as a member: the tokens of the team, or a member's own. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { devicePages } from '#protocol/lists.ts';
import { allOf } from '#protocol/pages.ts';
import type { Device } from '#protocol/token.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useSelf } from '../../data/self.tsx';
import { cx } from '../../ui/class-names.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { SearchInput } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, FormError, ListSkeleton } from '../../ui/states.tsx';
import { useNow } from '../../ui/time.tsx';
import { DeviceRow } from './device-row.tsx';
import { type DeviceUse, deviceUses, labelOfUse, nameOfDevice, shownDevices } from './devices.rules.ts';

/** No event reports a use, or that a token has expired. */
const againMs = 30_000;

export function DeviceList() {
  const { client } = useBroker();
  const now = useNow();
  const { data, error, refetch } = useQuery({
    queryKey: keys.devices,
    queryFn: () => allOf(devicePages(client)),
    staleTime: 0,
    refetchInterval: againMs,
  });
  const [text, setText] = useState('');
  const [use, setUse] = useState<DeviceUse>('all');
  const [revoking, setRevoking] = useState<Device | null>(null);
  const region = useRef<HTMLDivElement>(null);
  const shown = shownDevices(data ?? [], { text, use }, now);
  return (
    <Section title="Machines and tokens">
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
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <ListSkeleton rows={4} /> : null}
      {data !== undefined && shown.length === 0 ? <EmptyState title="No device matches the filter" /> : null}
      {/* biome-ignore lint/a11y/useSemanticElements: it takes the focus of a row that is gone */}
      <div ref={region} tabIndex={-1} role="group" aria-label="Machines and tokens" className="outline-none">
        {shown.length === 0 ? null : <DeviceTable devices={shown} onRevoke={setRevoking} />}
      </div>
      <Revocation
        device={revoking}
        onClose={() => setRevoking(null)}
        onRevoked={() => region.current?.focus()}
      />
    </Section>
  );
}

const columns = ['Device', 'Member', 'Created', 'Last used', 'Address', 'Action'];

function DeviceTable({
  devices,
  onRevoke,
}: {
  devices: readonly Device[];
  onRevoke: (device: Device) => void;
}) {
  return (
    <table className="w-full border-collapse text-left max-sm:block">
      <thead className="bg-sunken text-sm text-soft max-sm:sr-only">
        <tr className="border-b border-line">
          {columns.map((name, at) => (
            <th key={name} scope="col" className={cx('py-2 font-medium', at === 0 ? 'px-4' : 'px-2')}>
              <span className={name === 'Action' ? 'sr-only' : undefined}>{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {devices.map((device) => (
          <DeviceRow key={device.id} device={device} onRevoke={() => onRevoke(device)} />
        ))}
      </tbody>
    </table>
  );
}

function consequenceOf({ isPrimary, isRun }: Device, isSelf: boolean): string {
  if (isRun) return 'The run is disconnected within a second and ends.';
  const tokens =
    'Everything that uses this token is disconnected within a second and cannot reconnect with it.';
  if (!isPrimary) return tokens;
  return `${tokens} ${isSelf ? 'Your other sessions' : 'The sessions of the member'} end as well.`;
}

interface RevocationProps {
  /** Null while nothing is asked. */
  device: Device | null;
  onClose: () => void;
  onRevoked: () => void;
}

function Revocation({ device, onClose, onRevoked }: RevocationProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const self = useSelf().member;
  const revoke = useMutation({
    mutationFn: ({ memberName, id }: Device) =>
      client.call('revokeToken', { params: { name: memberName, id } }),
    onSuccess: async (_, { id, memberName }) => {
      cache.setQueryData<Device[]>(keys.devices, (held) => held?.filter((one) => one.id !== id));
      onClose();
      onRevoked();
      await cache.invalidateQueries({ queryKey: keys.tokens(memberName) });
    },
  });
  const name = device === null ? '' : `${nameOfDevice(device)} of ${device.memberName}`;
  return (
    <Confirm
      isOpen={device !== null}
      onClose={() => {
        onClose();
        if (revoke.isError) revoke.reset();
      }}
      title={`Revoke ${name}?`}
      consequence={device === null ? '' : consequenceOf(device, device.memberName === self)}
      act="Revoke"
      isBusy={revoke.isPending}
      onConfirm={() => device !== null && revoke.mutate(device)}
    >
      <FormError error={revoke.error} />
    </Confirm>
  );
}
