/** The properties of an objective: its members, times, tokens, and files. */
import { Link } from '@tanstack/react-router';
import { Paperclip } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ObjectiveView } from '#protocol/objective.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { nameOfStatus, StatusIcon } from '../../ui/status-icon.tsx';
import { Time } from '../../ui/time.tsx';
import { useTokens } from './use-work.ts';

const Property = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="group/property flex gap-3 py-0.5 leading-7">
    <dt className="w-20 shrink-0 text-soft pointer-coarse:max-md:group-has-[a]/property:leading-11">
      {name}
    </dt>
    <dd className="flex min-w-0 flex-1 flex-col">{children}</dd>
  </div>
);

const MemberLink = ({ name }: { name: string }) => (
  <Link
    to="/app/admin/people"
    search={{ member: name }}
    className="inline-flex min-h-7 items-center gap-1.5 self-start hover:underline"
  >
    <Avatar name={name} size="small" />
    <span className="min-w-0 break-all">{name}</span>
  </Link>
);

const FileLink = ({ path }: { path: string }) => (
  <Link
    to="/app/files"
    search={{ path: path.slice(0, path.lastIndexOf('/')), file: path }}
    className="inline-flex min-h-7 items-center gap-1.5 self-start leading-snug break-all hover:underline"
  >
    <Paperclip aria-hidden="true" className="size-4 shrink-0 text-faint" />
    {path}
  </Link>
);

export function Properties({ view }: { view: ObjectiveView }) {
  const { status, assignee, originator, watchers, attachments, createdAt, completedAt } = view.objective;
  const tokens = useTokens(view);
  return (
    <dl>
      <Property name="Status">
        <span className="inline-flex min-h-7 items-center gap-1.5">
          <StatusIcon status={status} isNamed />
          <span className="inline-block first-letter:uppercase">{nameOfStatus(status)}</span>
        </span>
      </Property>
      <Property name="Assignee">
        <MemberLink name={assignee} />
      </Property>
      <Property name="Originator">
        <MemberLink name={originator} />
      </Property>
      {watchers.length === 0 ? null : (
        <Property name="Watchers">
          {watchers.map((name) => (
            <MemberLink key={name} name={name} />
          ))}
        </Property>
      )}
      <Property name="Created">
        <Time at={createdAt} />
      </Property>
      {completedAt === null ? null : (
        <Property name="Ended">
          <Time at={completedAt} />
        </Property>
      )}
      {tokens === null ? null : <Property name="Tokens">{tokens}</Property>}
      {attachments.length === 0 ? null : (
        <Property name="Files">
          {attachments.map((path) => (
            <FileLink key={path} path={path} />
          ))}
        </Property>
      )}
    </dl>
  );
}
