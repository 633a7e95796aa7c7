/** The conditions that need attention, and the health of the broker and its stores (`GET /diagnostics`). */
import { useBriefing } from '../../data/queries.ts';
import { CopyLine } from '../../ui/copy-button.tsx';
import { fileSize } from '../../ui/file-size.rules.ts';
import { Section } from '../../ui/page.tsx';
import { ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminPage, AdminSections } from './admin-page.tsx';
import { useDiagnostics } from './diagnostics.ts';
import { inMemory } from './needs-attention.rules.ts';
import { NeedsAttention } from './needs-attention.tsx';

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="rounded-md bg-sunken px-3 py-2">
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">{value}</dd>
    </div>
  );
}

const uptimeOf = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
};

export function HealthScreen() {
  return (
    <AdminPage title="Health">
      <AdminSections>
        <NeedsAttention />
        <Parts />
      </AdminSections>
    </AdminPage>
  );
}

function Parts() {
  const { data, error } = useDiagnostics();
  const { data: briefing } = useBriefing();
  // The list above says an error.
  if (data === undefined) return error === null ? <ListSkeleton /> : null;
  const { stores, streams, eventLoopDelay, memoryBytes, uptime, waitingBytes } = data;
  return (
    <>
      <Section title="Now">
        <dl className="grid grid-cols-2 gap-2 p-4 sm:grid-cols-4">
          <Figure name="Uptime" value={uptimeOf(uptime)} />
          <Figure name="Memory" value={fileSize(memoryBytes)} />
          <Figure name="Message streams" value={String(streams.messages)} />
          <Figure name="Activity streams" value={String(streams.activity)} />
          <Figure name="Event loop, p99" value={`${eventLoopDelay.p99.toFixed(1)} ms`} />
          <Figure name="Event loop, max" value={`${eventLoopDelay.max.toFixed(0)} ms`} />
          <Figure name="Queued in streams" value={fileSize(waitingBytes.total)} />
          <Figure name="Members" value={String(briefing?.teammates.length ?? '')} />
        </dl>
      </Section>
      <Section title="Storage">
        <ul className="px-4 py-2">
          {stores.map(({ name, isOnDisk, bytes, queued, lastCommitAt }) => (
            <li key={name} className="flex flex-wrap justify-between gap-2 py-1">
              <span className="font-medium">{name}</span>
              <span className="text-soft">
                {isOnDisk ? fileSize(bytes) : <span className="text-caution">{inMemory}</span>} · {queued}{' '}
                queued ·{' '}
                {lastCommitAt === null ? (
                  'nothing written yet'
                ) : (
                  <>
                    written <Time at={lastCommitAt} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
        <div className="flex flex-col gap-2 border-t border-line p-4">
          <p className="text-soft">
            To remove activity that is older than 30 days and free its space, run this on the broker’s
            machine:
          </p>
          <CopyLine label="Prune command" text="muster prune-activity --older-than 30d" />
          <p className="text-soft">To check this installation, run:</p>
          <CopyLine label="Doctor command" text="muster doctor" />
        </div>
      </Section>
    </>
  );
}
