/** Mentions, channels, and addresses of this console in messages, by what they lead to. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessageSquare, Target } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { channelScope, formatScope, parseScope } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { useChannels, useRoster } from '../../data/queries.ts';
import { isRefused } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';
import { scopeQuery } from '../../data/thread.ts';
import { linkClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { useIsInSight } from '../../ui/in-sight.ts';
import { ownLinkOf } from '../../ui/references.rules.ts';
import { type References, ReferencesContext } from '../../ui/references.ts';
import { quoteOf } from './quote.tsx';
import { useScopeName } from './shown-scope.tsx';

const chip = 'rounded-sm bg-accent-soft px-0.5 font-medium text-accent hover:underline';

function Mention({ name }: { name: string }) {
  const self = useSelf().member;
  const { data: roster } = useRoster();
  const member = roster?.teammates.find((one) => one.name.toLowerCase() === name.toLowerCase())?.name;
  if (member === undefined) return `@${name}`;
  const link = (
    <Link
      to="/app/admin/people"
      search={{ member }}
      className={cx(chip, member === self && 'bg-caution-soft text-caution')}
    >
      @{name}
    </Link>
  );
  return member === self ? <mark className="bg-transparent font-semibold text-inherit">{link}</mark> : link;
}

function Channel({ slug }: { slug: string }) {
  const { data } = useChannels();
  const channel = data?.channels.find((one) => one.slug === slug);
  if (channel === undefined) return `#${slug}`;
  return (
    <Link
      to="/app/conversations/$scope"
      params={{ scope: formatScope(channelScope(channel.id)) }}
      className={chip}
    >
      #{slug}
    </Link>
  );
}

const ownClass = cx(linkClass, '[&_svg]:mr-0.5 [&_svg]:inline [&_svg]:size-3.5 [&_svg]:align-[-0.125em]');

/** `children`: gets whether to ask the broker for what is not known, because the link was seen. */
function OnceSeen({ children }: { children: (wasSeen: boolean) => ReactNode }) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [wasSeen, setSeen] = useState(false);
  if (useIsInSight(element) && !wasSeen) setSeen(true);
  return <span ref={setElement}>{children(wasSeen)}</span>;
}

function ObjectiveLink({ id, href, isSeen }: { id: string; href: string; isSeen: boolean }) {
  const title = useObjectiveTitle(isSeen ? id : undefined);
  return (
    <Link to="/app/objectives/$id" params={{ id }} title={href} className={ownClass}>
      <Target aria-hidden="true" />
      {title ?? id}
    </Link>
  );
}

const titleFreshMs = 60_000;

/** Undefined until it is known, and for a message that cannot be read. */
function useMessageTitle(scope: string, id: string, isSeen: boolean): string | undefined {
  const { client } = useBroker();
  const name = useScopeName(scope, isSeen);
  const { data, error } = useQuery({
    queryKey: ['messageTitle', scope, id],
    enabled: isSeen && parseScope(scope) !== undefined,
    retry: false,
    staleTime: titleFreshMs,
    queryFn: async () => {
      const limit = String(Math.min(3, limits.history.windowMax));
      const { messages } = await client.call('historyWindow', {
        query: { ...scopeQuery(scope), around: id, limit },
      });
      return messages.find((one) => one.id === id) ?? null;
    },
  });
  if (data === undefined || data === null || isRefused(error)) return undefined;
  const quote = quoteOf(data);
  return `${data.from} in ${name}: ${quote.slice(data.from.length + 2)}`;
}

function MessageLink({
  scope,
  id,
  href,
  isSeen,
}: {
  scope: string;
  id: string;
  href: string;
  isSeen: boolean;
}) {
  const title = useMessageTitle(scope, id, isSeen);
  return (
    <Link
      to="/app/conversations/$scope"
      params={{ scope }}
      search={{ message: id }}
      title={href}
      className={ownClass}
    >
      <MessageSquare aria-hidden="true" />
      {title ?? 'A message'}
    </Link>
  );
}

const Own: References['Own'] = ({ to, href }) => (
  <OnceSeen>
    {(isSeen) => {
      switch (to.kind) {
        case 'member':
          return <Mention name={to.name} />;
        case 'objective':
          return <ObjectiveLink id={to.id} href={href} isSeen={isSeen} />;
        case 'message':
          return <MessageLink scope={to.scope} id={to.id} href={href} isSeen={isSeen} />;
      }
    }}
  </OnceSeen>
);

export function WithReferences({ children }: { children: ReactNode }) {
  const { origin } = useBroker().transport;
  const references = useMemo(
    (): References => ({ Mention, Channel, Own, ownLink: (href) => ownLinkOf(href, origin) }),
    [origin],
  );
  return <ReferencesContext.Provider value={references}>{children}</ReferencesContext.Provider>;
}
