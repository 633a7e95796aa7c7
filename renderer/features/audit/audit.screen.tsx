/** The audit log: who changed what in the security of the team, with filters and an export. */
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, ScrollText } from 'lucide-react';
import { auditKinds } from '#protocol/audit-kinds.ts';
import { useBroker } from '../../data/broker.tsx';
import { useRoster } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { filterClass } from '../../ui/field.tsx';
import { MemberOptions } from '../../ui/member-options.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { toastError } from '../../ui/toast.ts';
import { AuditRow, labelOf } from './audit-row.tsx';
import { type AuditFilter, exportOf, useAudit } from './use-audit.ts';

const dayMs = 86_400_000;
const keptMs = 60_000;
const daysAgo = (days: number): string => String(Date.now() - days * dayMs);

function save(file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = 'audit.jsonl';
  link.click();
  // Some browsers begin the download only later.
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}

function ExportButton({ filter }: { filter: AuditFilter }) {
  const { client } = useBroker();
  const exporting = useMutation({
    mutationFn: () => exportOf(client, filter),
    onSuccess: save,
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
  const { kind, member, since } = filter;
  return (
    <>
      <select
        aria-label="Kind"
        value={kind ?? ''}
        onChange={({ target: { value } }) => onFilter({ kind: auditKinds.find((one) => one === value) })}
        className={filterClass}
      >
        <option value="">Everything</option>
        {auditKinds.map((one) => (
          <option key={one} value={one}>
            {labelOf(one)}
          </option>
        ))}
      </select>
      <select
        aria-label="Member"
        value={member ?? ''}
        onChange={({ target: { value } }) => onFilter({ member: value || undefined })}
        className={filterClass}
      >
        <option value="">Anybody</option>
        <MemberOptions members={roster?.teammates ?? []} />
      </select>
      <select
        aria-label="Time"
        value={since === undefined ? '' : String(since)}
        onChange={({ target: { value } }) => onFilter({ since: value === '' ? undefined : Number(value) })}
        className={filterClass}
      >
        <option value="">Any time</option>
        {since === undefined ? null : <option value={String(since)}>Custom range</option>}
        <option value={daysAgo(1)}>Last day</option>
        <option value={daysAgo(7)}>Last week</option>
        <option value={daysAgo(30)}>Last month</option>
      </select>
    </>
  );
}

function Records({ filter }: { filter: AuditFilter }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useAudit(filter);
  if (data === undefined)
    return error === null ? (
      <ListSkeleton rows={10} />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
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
  const mayRead = useMay('audit');
  const search = useSearch({ from: '/app/audit' });
  const navigate = useNavigate({ from: '/app/audit' });
  const filter: AuditFilter = { ...search, kind: auditKinds.find((kind) => kind === search.kind) };
  if (!mayRead)
    return (
      <Page title="Audit log">
        <EmptyState icon={<ScrollText />} title="Only operators read the audit log">
          Members with members.manage see who changed what.
        </EmptyState>
      </Page>
    );
  return (
    <Page
      title="Audit log"
      actions={<ExportButton filter={filter} />}
      toolbar={
        <Filters
          filter={filter}
          onFilter={(change) => void navigate({ search: { ...filter, ...change }, replace: true })}
        />
      }
    >
      <Records filter={filter} />
    </Page>
  );
}
