/** One record of the audit log: a sentence that says what happened, from where, and, when it is opened, what changed. */
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { AuditKind, AuditRecord } from '#protocol/audit.ts';
import { Badge } from '../../ui/badge.tsx';
import { exactTime, Time } from '../../ui/time.tsx';
import { auditSentence, labelOf } from './audit-sentence.rules.ts';
import { auditValueText } from './audit-value.rules.ts';

/** They deserve a second look. */
const graveKinds: readonly AuditKind[] = [
  ...(['login_failed', 'limit_hit', 'permissions_changed', 'presets_changed', 'platform_bound'] as const),
  ...(['member_removed', 'token_revoked', 'audit_cut'] as const),
];

function Changes({ before, after }: Pick<AuditRecord, 'before' | 'after'>) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <table className="w-full table-fixed border-collapse text-left text-sm">
      <thead className="text-faint">
        <tr>
          <th scope="col" className="w-1/4 py-1 pr-2 font-medium">
            Field
          </th>
          {before === null ? null : (
            <th scope="col" className="py-1 pr-2 font-medium">
              Before
            </th>
          )}
          {after === null ? null : (
            <th scope="col" className="py-1 font-medium">
              After
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name} className="align-top">
            <td className="py-0.5 pr-2 font-mono">
              <bdi>{name}</bdi>
            </td>
            {before === null ? null : (
              <td className="py-0.5 pr-2 whitespace-pre-wrap text-soft">
                <bdi>{auditValueText(name, before[name], exactTime)}</bdi>
              </td>
            )}
            {after === null ? null : (
              <td className="py-0.5 whitespace-pre-wrap">
                <bdi>{auditValueText(name, after[name], exactTime)}</bdi>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Detail({ record }: { record: AuditRecord }) {
  const { seq, at, credential, before, after, hash } = record;
  return (
    <div className="flex flex-col gap-2 px-4 pb-3 pl-11 max-sm:pl-4">
      {before === null && after === null ? null : <Changes before={before} after={after} />}
      <p className="font-mono text-xs break-all text-faint">
        {exactTime(at)}, {credential === null ? '' : `${credential.plane} ${credential.id}, `}record {seq},
        SHA-256 {hash}
      </p>
    </div>
  );
}

export function AuditRow({ record }: { record: AuditRecord }) {
  const [isOpen, setOpen] = useState(false);
  const { at, kind, address } = record;
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-left hover:bg-hover"
      >
        <ChevronRight className={`size-4 shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} />
        <span className="min-w-40 flex-1">
          <bdi>{auditSentence(record)}</bdi>
        </span>
        {graveKinds.includes(kind) ? <Badge tone="caution">{labelOf(kind)}</Badge> : null}
        <span className="flex gap-3 text-sm max-sm:basis-full max-sm:pl-7">
          {address === null ? null : <span className="min-w-0 wrap-anywhere text-soft">{address}</span>}
          <span className="shrink-0 text-faint">
            <Time at={at} />
          </span>
        </span>
      </button>
      {isOpen ? <Detail record={record} /> : null}
    </li>
  );
}
