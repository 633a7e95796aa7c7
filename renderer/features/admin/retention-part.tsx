/** Retention: the rules that remove what is old, legal holds, and the newest run (`GET /retention`). */

import { useQuery } from '@tanstack/react-query';
import { counted } from '#protocol/counted.ts';
import type { AgeAndSize, LegalHold, RetentionState } from '#protocol/retention.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useChannels } from '../../data/queries.ts';
import { CopyLine } from '../../ui/copy-button.tsx';
import { fileSize } from '../../ui/file-size.rules.ts';
import { Section } from '../../ui/page.tsx';
import { NotLoaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useDiagnostics } from './diagnostics.ts';
import { inMemory } from './needs-attention.rules.ts';

/** `isOnDisk`: undefined until it is known. */
function Lasting({ parts, isOnDisk }: { parts: readonly string[]; isOnDisk: boolean | undefined }) {
  if (isOnDisk === false) return <dd className="text-caution">{[...parts, inMemory].join(', ')}</dd>;
  return <dd>{parts.join(', ') || (isOnDisk ? 'kept forever' : 'no rule')}</dd>;
}

const agePart = (days: number | undefined): string[] => (days === undefined ? [] : [counted(days, 'day')]);

const ruleParts = ({ days, maxBytes }: AgeAndSize = {}): string[] => [
  ...agePart(days),
  ...(maxBytes === undefined ? [] : [`at most ${fileSize(maxBytes)}`]),
];

const auditParts = ({ days, maxRecords }: NonNullable<RetentionState['audit']> = {}): string[] => [
  ...agePart(days),
  ...(maxRecords === undefined ? [] : [`at most ${maxRecords.toLocaleString()} records`]),
];

export function RetentionPart() {
  const { client } = useBroker();
  const { data, error, refetch } = useQuery({
    queryKey: keys.retention,
    queryFn: () => client.call('retention', {}),
    staleTime: 0,
  });
  if (data === undefined) return <NotLoaded error={error} onRetry={refetch} />;
  const { holds } = data;
  return (
    <>
      <Section title="Retention rules">
        <Rules state={data} />
        <div className="flex flex-col gap-2 border-t border-line p-4">
          <p className="text-soft">
            Rules are off by default. Data that they remove cannot be restored, and the first run begins an
            hour after a change. To set a rule, run for example:
          </p>
          <CopyLine label="Retention command" text="muster retention set --messages-days 365" />
        </div>
      </Section>
      <Section title="Legal holds">
        {holds.length === 0 ? (
          <div className="flex flex-col gap-2 p-4">
            <p>No legal hold is set, so no conversation and no member is exempt from the retention rules.</p>
            <p className="text-soft">
              A hold keeps a conversation, or everything of a member, until somebody releases it. To set one,
              run for example:
            </p>
            <CopyLine
              label="Hold command"
              text={'muster retention hold "#release" --reason "Audit of 2026"'}
            />
          </div>
        ) : (
          <ul className="px-4 py-2">
            {holds.map((hold) => (
              <Hold key={hold.id} hold={hold} />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

function Rules({ state }: { state: RetentionState }) {
  const { messages, activity, audit, channels, run } = state;
  const { data } = useChannels();
  const { data: diagnostics } = useDiagnostics();
  const isOnDisk = (store: string): boolean | undefined =>
    diagnostics?.stores.find(({ name }) => name === store)?.isOnDisk;
  const isMainOnDisk = isOnDisk('main');
  const slugOf = (id: string): string => data?.channels.find((channel) => channel.id === id)?.slug ?? id;
  return (
    <dl className="grid gap-x-4 p-4 max-sm:[&_dd]:mb-2 sm:grid-cols-[10rem_1fr] sm:gap-y-2">
      <dt className="text-soft">Messages</dt>
      <Lasting parts={ruleParts(messages)} isOnDisk={isMainOnDisk} />
      {Object.entries(channels).map(([id, { days }]) => (
        <div key={id} className="contents">
          <dt className="pl-4 text-soft break-all">#{slugOf(id)}</dt>
          <Lasting parts={agePart(days ?? undefined)} isOnDisk={isMainOnDisk} />
        </div>
      ))}
      <dt className="text-soft">Activity</dt>
      <Lasting parts={ruleParts(activity)} isOnDisk={isOnDisk('activity')} />
      <dt className="text-soft">Audit log</dt>
      <Lasting parts={auditParts(audit)} isOnDisk={isMainOnDisk} />
      {run !== null && (
        <>
          <dt className="text-soft">Newest run</dt>
          <dd>
            <Time at={run.startedAt} />
            {run.endedAt === null ? ', in progress' : ''}: removed {counted(run.messages, 'message')},{' '}
            {counted(run.activity, 'row')} of activity, and {counted(run.audit, 'audit record')}
          </dd>
        </>
      )}
    </dl>
  );
}

function Hold({ hold: { id, on, reason, by, at } }: { hold: LegalHold }) {
  return (
    <li className="flex flex-col gap-0.5 py-1">
      <span>
        <span className="font-mono break-all">{on}</span>: {reason}
      </span>
      <span className="text-soft break-all">
        Set by {by} <Time at={at} />. Release it with <code>muster retention release {id}</code>.
      </span>
    </li>
  );
}
