/** The name of a scope, with the title of the objective whose thread it is. */
import { useState } from 'react';
import { parseScope } from '#protocol/scope.ts';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { useChannels } from '../../data/queries.ts';
import { useIsInSight } from '../../ui/in-sight.ts';
import { nameOfScope } from './scope-name.ts';

/** `scope`: in text form. `isSeen`: whether to ask the broker for a title that is not known. */
export function useScopeName(scope: string, isSeen = true): string {
  const { data: channels } = useChannels();
  const parsed = parseScope(scope);
  const objectiveTitle = useObjectiveTitle(
    isSeen && parsed?.kind === 'objective' ? parsed.objectiveId : undefined,
  );
  return nameOfScope(scope, { channels: channels?.channels ?? [], objectiveTitle });
}

/** Asks for an unknown title when it is seen for the first time. */
export function ShownScope({ scope }: { scope: string }) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [wasSeen, setSeen] = useState(false);
  if (useIsInSight(element) && !wasSeen) setSeen(true);
  return <span ref={setElement}>{useScopeName(scope, wasSeen)}</span>;
}
