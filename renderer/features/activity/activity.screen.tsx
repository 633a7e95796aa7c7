/** Activity: a member's timeline, live, with each exchange behind it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Activity as ActivityIcon } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { type ActivityRow, activityKinds } from '#protocol/activity.ts';
import { BrokerError } from '#protocol/errors.ts';
import { useMay, useObjectives, useRoster, useSelf } from '../../data/queries.ts';
import { shortCount, tokensOf } from '../../data/token-usage.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { inputClass } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { ExchangeView } from './exchange.tsx';
import { UsageStrip } from './usage-strip.tsx';
import { useActivity } from './use-activity.ts';

const words: Record<(typeof activityKinds)[number], { label: string; tone: Tone }> = {
  llm_exchange: { label: 'exchange', tone: 'info' },
  opaque_http: { label: 'request', tone: 'neutral' },
  objective_open: { label: 'objective opened', tone: 'positive' },
  objective_close: { label: 'objective closed', tone: 'neutral' },
};

function gistOf({ event }: ActivityRow, titleById: ReadonlyMap<string, string>): string {
  switch (event.kind) {
    case 'llm_exchange': {
      const { model, response } = event.entry;
      const said = response?.messages.flatMap(({ content }) => content) ?? [];
      const tools = said.filter(({ type }) => type === 'tool_use').map(({ name }) => String(name));
      const text = said.find(({ type }) => type === 'text')?.text;
      return [
        model ?? 'a model',
        tools.length > 0 ? `calls ${tools.join(', ')}` : null,
        typeof text === 'string' ? text.slice(0, 160) : null,
      ]
        .filter(Boolean)
        .join(' · ');
    }
    case 'opaque_http':
      return `${event.entry.method} ${event.entry.host} ${event.entry.status ?? ''}`;
    case 'objective_open':
      return titleById.get(event.objectiveId) ?? event.objectiveId;
    case 'objective_close':
      return `${titleById.get(event.objectiveId) ?? event.objectiveId}: ${event.result.replace('_', ' ')}`;
  }
}

function Row({ row, gist, onOpen }: { row: ActivityRow; gist: string; onOpen: () => void }) {
  const { label, tone } = words[row.event.kind];
  const tokens = tokensOf(row);
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex h-11 w-full items-center gap-3 border-b border-line bg-surface px-4 text-left hover:bg-hover max-sm:h-auto max-sm:flex-wrap max-sm:gap-y-1 max-sm:py-2"
    >
      <span className="w-32 shrink-0 max-sm:flex-1">
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span className="min-w-0 flex-1 truncate max-sm:order-first max-sm:basis-full">{gist}</span>
      <span className="text-sm text-soft tabular-nums max-sm:hidden">
        {tokens === 0 ? '' : `${shortCount.format(tokens)} tokens`}
      </span>
      <span className="w-28 text-right text-sm text-faint max-sm:w-auto">
        <Time at={row.event.ts} />
      </span>
    </button>
  );
}

const titleOf = (label: string, member: string): string =>
  `${label.charAt(0).toUpperCase()}${label.slice(1)} of ${member}`;

function Detail({ row }: { row: ActivityRow }) {
  if (row.event.kind === 'llm_exchange') return <ExchangeView entry={row.event.entry} />;
  return (
    <pre className="font-mono text-sm break-words whitespace-pre-wrap">
      {JSON.stringify(row.event, null, 2)}
    </pre>
  );
}

export function ActivityScreen() {
  const self = useSelf().member;
  const maySeeAll = useMay('activity.read');
  const search = useSearch({ from: '/app/activity' });
  const navigate = useNavigate({ from: '/app/activity' });
  const { data: roster } = useRoster();
  const { data: objectives } = useObjectives();
  const { kind, objective, from, to, row: openRow } = search;
  const member = search.member ?? self;
  const { rows, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useActivity(
    member,
    {
      kind,
      objective,
      from,
      to,
    },
  );
  const titleById = useMemo(
    () => new Map(objectives?.objectives.map(({ id, title }) => [id as string, title])),
    [objectives],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 44,
    overscan: 8,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const set = (over: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...over }, replace: true });
  const opened = rows.find(({ id }) => id === openRow);
  const days = (count: number) => Date.now() - count * 86_400_000;
  return (
    <Page
      title="Activity"
      toolbar={
        <>
          <select
            aria-label="Member"
            value={member}
            onChange={(event) => set({ member: event.target.value, row: undefined })}
            className={cx(inputClass, 'h-8 max-sm:flex-1')}
          >
            {(maySeeAll ? (roster?.teammates ?? []).map(({ name }) => name as string) : [self]).map(
              (name) => (
                <option key={name}>{name}</option>
              ),
            )}
          </select>
          <select
            aria-label="Kind"
            value={kind ?? ''}
            onChange={(event) => set({ kind: event.target.value || undefined })}
            className={cx(inputClass, 'h-8 max-sm:flex-1')}
          >
            <option value="">Everything</option>
            {activityKinds.map((one) => (
              <option key={one} value={one}>
                {words[one].label}
              </option>
            ))}
          </select>
          <select
            aria-label="Objective"
            value={objective ?? ''}
            onChange={(event) => set({ objective: event.target.value || undefined })}
            className={cx(inputClass, 'h-8 max-w-56 max-sm:max-w-none max-sm:flex-1')}
          >
            <option value="">Any objective</option>
            {(objectives?.objectives ?? [])
              .filter(({ assignee }) => assignee === member)
              .slice(0, 200)
              .map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </select>
          <select
            aria-label="Time"
            value={from === undefined ? '' : String(from)}
            onChange={(event) =>
              set({ from: event.target.value === '' ? undefined : Number(event.target.value) })
            }
            className={cx(inputClass, 'h-8 max-sm:flex-1')}
          >
            <option value="">Any time</option>
            {from === undefined ? null : <option value={String(from)}>As chosen</option>}
            <option value={String(days(1))}>Last day</option>
            <option value={String(days(7))}>Last week</option>
            <option value={String(days(30))}>Last month</option>
          </select>
        </>
      }
    >
      {error instanceof BrokerError && error.status === 403 ? (
        <EmptyState title="Not yours to see">Only members with activity.read see what others did.</EmptyState>
      ) : error !== null && rows.length === 0 ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <ListSkeleton rows={10} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<ActivityIcon />} title="Nothing recorded">
          What the agent of {member} does appears here, live, when it runs with{' '}
          <code className="font-mono">npx svc run claude-code</code>.
        </EmptyState>
      ) : (
        <div className="flex h-full flex-col">
          <UsageStrip member={member} />
          <div
            ref={scroller}
            className="min-h-0 flex-1 overflow-y-auto"
            onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
              if (scrollHeight - scrollTop - clientHeight < 600 && hasNextPage && !isFetchingNextPage)
                void fetchNextPage({ cancelRefetch: false });
            }}
          >
            <ul
              aria-label={`Activity of ${member}`}
              className="relative"
              style={{ height: virtualizer.getTotalSize() }}
            >
              {virtualizer.getVirtualItems().map((item) => {
                const row = rows[item.index];
                if (row === undefined) return null;
                return (
                  <li
                    key={item.key}
                    ref={virtualizer.measureElement}
                    data-index={item.index}
                    className="absolute top-0 left-0 w-full"
                    style={{ transform: `translateY(${item.start}px)` }}
                  >
                    <Row row={row} gist={gistOf(row, titleById)} onOpen={() => set({ row: row.id })} />
                  </li>
                );
              })}
            </ul>
            {isFetchingNextPage ? (
              <p className="py-2 text-center text-sm text-faint">Loading older activity…</p>
            ) : null}
          </div>
        </div>
      )}
      <Dialog
        isOpen={opened !== undefined}
        onClose={() => set({ row: undefined })}
        title={opened === undefined ? '' : titleOf(words[opened.event.kind].label, member)}
        wide
      >
        {opened === undefined ? null : <Detail row={opened} />}
      </Dialog>
    </Page>
  );
}
