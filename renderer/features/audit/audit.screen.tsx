/** The audit log: who changed what in the security of the team, with filters and an export. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, ScrollText } from 'lucide-react';
import { auditKinds } from '#protocol/audit-kinds.ts';
import { useBroker } from '../../data/broker.tsx';
import { useRoster } from '../../data/queries.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { filterClass, Select } from '../../ui/select.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { TimeSelect } from '../../ui/time-select.tsx';
import { toastError } from '../../ui/toast.ts';
import { AdminPage } from '../admin/admin-page.tsx';
import { AuditRow } from './audit-row.tsx';
import { labelOf } from './audit-sentence.rules.ts';
import { type AuditFilter, exportOf, useAudit } from './use-audit.ts';

function ExportButton({ filter }: { filter: AuditFilter }) {
  const { client } = useBroker();
  const exporting = useMutation({
    mutationFn: () => exportOf(client, filter),
    onSuccess: (file) => saveFile(file, 'audit.jsonl'),
    onError: toastError,
  });
  return (
    <Button onClick={() => exporting.mutate()} isBusy={exporting.isPending}>
      <Download className="size-4" />
      Export
    </Button>
  );
}

interface FiltersProps {
  filter: AuditFilter;
  onFilter: (change: AuditFilter) => void;
}

function Filters({ filter, onFilter }: FiltersProps) {
  const { data: roster } = useRoster();
  const members = useMemberOptions(roster?.teammates ?? []);
  const { kind, member, since } = filter;
  return (
    <>
      <Select
        label="Kind"
        value={kind ?? ''}
        options={[
          { value: '', text: 'Everything' },
          ...auditKinds.map((one) => ({ value: one, text: labelOf(one) })),
        ]}
        onChoose={(chosen) => onFilter({ kind: chosen || undefined })}
        className={filterClass}
      />
      <Select
        label="Member"
        value={member ?? ''}
        options={[{ value: '', text: 'Everybody' }, ...members]}
        onChoose={(name) => onFilter({ member: name || undefined })}
        className={filterClass}
      />
      <TimeSelect from={since} onFrom={(from) => onFilter({ since: from })} />
    </>
  );
}

function Records({ filter }: { filter: AuditFilter }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useAudit(filter);
  if (data === undefined) return <NotLoaded error={error} onRetry={refetch} rows={10} />;
  const records = data.pages.flatMap((page) => page.records);
  return (
    <>
      {records.length === 0 && !hasNextPage ? (
        <EmptyState icon={<ScrollText />} title="No record fits">
          Choose another kind, member, or time.
        </EmptyState>
      ) : null}
      <ul className="bg-surface">
        {records.map((record) => (
          <AuditRow key={record.seq} record={record} />
        ))}
      </ul>
      {hasNextPage ? (
        <div className="flex justify-center p-4">
          <Button onClick={() => void fetchNextPage({ cancelRefetch: false })} isBusy={isFetchingNextPage}>
            Show older records
          </Button>
        </div>
      ) : null}
    </>
  );
}

export function AuditScreen() {
  const search = useSearch({ from: '/app/admin/audit' });
  const navigate = useNavigate({ from: '/app/admin/audit' });
  const filter: AuditFilter = { ...search, kind: auditKinds.find((kind) => kind === search.kind) };
  return (
    <AdminPage
      title="Audit"
      actions={<ExportButton filter={filter} />}
      toolbar={
        <Filters
          filter={filter}
          onFilter={(change) => void navigate({ search: { ...filter, ...change }, replace: true })}
        />
      }
    >
      <Records filter={filter} />
    </AdminPage>
  );
}
