/** The members who may read a file, and why. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { linkClass } from '../../ui/button.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

function AnObjective({ id }: { id: string }) {
  const title = useObjectiveTitle(id);
  return (
    <Link to="/app/objectives/$id" params={{ id }} className={linkClass}>
      {title ?? 'an objective'}
    </Link>
  );
}

interface FileReadersProps {
  path: string;
  /** The file is being deleted, or is gone. */
  isGoing: RefObject<boolean>;
}

export function FileReaders({ path, isGoing }: FileReadersProps) {
  const { client } = useBroker();
  const { data, error } = useQuery({
    queryKey: keys.fileGrants(path),
    queryFn: () => client.call('fileGrants', { query: { path } }),
    enabled: () => !isGoing.current,
  });
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <Skeleton className="h-6 w-48" />;
  if (data.grants.length === 0) return <p className="text-soft">Only the owner and managers.</p>;
  return (
    <>
      <p className="text-soft">The owner, managers, and:</p>
      <ul className="text-sm">
        {data.grants.map(({ member, messageId, objectiveId, grantedAt }) => (
          <li
            key={`${member}-${messageId}-${objectiveId}`}
            className="flex flex-wrap justify-between gap-2 py-0.5"
          >
            <span className="font-medium">{member}</span>
            <span className="text-soft">
              attached to {objectiveId === null ? 'a message' : <AnObjective id={objectiveId} />},{' '}
              <Time at={grantedAt} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
