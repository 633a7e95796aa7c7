/** What an operator should act on, each with what mends it, and everything that is known as a file for somebody who helps. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download, TriangleAlert } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { ErrorState, FormError, ListSkeleton } from '../../ui/states.tsx';
import { type Condition, conditionsOf, type HealthFacts, type Mend } from './needs-attention.rules.ts';
import { useHealth } from './use-health.ts';

type ListRef = RefObject<HTMLDivElement | null>;

function Acknowledge({ seq, list }: { seq: number; list: ListRef }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const acknowledge = useMutation({
    mutationFn: () => client.call('acknowledgeAuditCut', { params: { seq: String(seq) } }),
    onSuccess: async () => {
      setAsked(false);
      await cache.invalidateQueries({ queryKey: keys.audit });
      // The button goes with its condition.
      list.current?.focus();
    },
  });
  return (
    <>
      <Button onClick={() => setAsked(true)}>Acknowledge…</Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Do you know why the log was cut?"
        consequence="For example, somebody replaced the main store on purpose. The log keeps the record of the cut, adds that you acknowledged it, and counts as complete again. This cannot be undone."
        act="Acknowledge the cut"
        isBusy={acknowledge.isPending}
        onConfirm={() => acknowledge.mutate()}
      >
        <FormError error={acknowledge.error} />
      </Confirm>
    </>
  );
}

function MendOf({ mend, list }: { mend: Mend; list: ListRef }) {
  if (mend.kind === 'command') return <CopyLine label="Command for the broker’s machine" text={mend.text} />;
  if (mend.kind === 'cut') return <Acknowledge seq={mend.seq} list={list} />;
  switch (mend.place) {
    case 'backup':
      return (
        <Link to="/app/admin/backup" className={buttonClass()}>
          Backup and retention
        </Link>
      );
    case 'logins':
      return (
        <Link to="/app/admin/audit" search={{ kind: 'login_failed' }} className={buttonClass()}>
          Failed logins
        </Link>
      );
    case 'notifications':
      return (
        <Link to="/app/me" search={{ part: 'notifications' }} className={buttonClass()}>
          Your notifications
        </Link>
      );
  }
}

function save(facts: HealthFacts, conditions: readonly Condition[]): void {
  const { diagnostics, lowDisks = [], cuts } = facts;
  const content = {
    savedAt: new Date().toISOString(),
    needsAttention: conditions.map(({ sentence }) => sentence),
    diagnostics,
    lowDisks,
    auditCuts: cuts.map(({ seq, at }) => ({ seq, at })),
    browser: navigator.userAgent,
  };
  saveFile(
    new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }),
    'muster-diagnostics.json',
  );
}

export function NeedsAttention() {
  const { facts, error, retry } = useHealth();
  const list = useRef<HTMLDivElement>(null);
  const conditions = facts === undefined ? [] : conditionsOf(facts);
  return (
    <Section
      title="Needs attention"
      actions={
        <Button
          size="small"
          disabled={facts === undefined}
          onClick={() => facts !== undefined && save(facts, conditions)}
        >
          <Download className="size-3.5" />
          Download diagnostics
        </Button>
      }
    >
      <div ref={list} tabIndex={-1} className="outline-none">
        {error === null ? null : <ErrorState error={error} onRetry={retry} />}
        {facts === undefined ? (
          error === null && <ListSkeleton rows={2} />
        ) : conditions.length === 0 && error === null ? (
          <p className="p-4 text-soft">Nothing needs attention.</p>
        ) : (
          <ul>
            {conditions.map(({ key, sentence, mend }) => (
              <li
                key={key}
                className="flex items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 last:border-0 max-sm:flex-col max-sm:items-stretch"
              >
                <p className="flex min-w-0 flex-1 gap-2.5">
                  <TriangleAlert className="mt-0.5 size-4 shrink-0 text-caution" aria-hidden="true" />
                  <span className="min-w-0 [overflow-wrap:anywhere]">
                    <bdi>{sentence}</bdi>
                  </span>
                </p>
                <div className="shrink-0 sm:max-w-72">
                  <MendOf mend={mend} list={list} />
                </div>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}
