/** The page of docs/guides/http-api for each operation, and the places where the code of each resource refuses. */
import type { Operation } from '#protocol/operation.ts';

export interface Resource {
  /** The name of the page. */
  id: string;
  title: string;
  about: string;
  /** Paths of its operations. The first resource that matches has the operation. */
  paths: RegExp;
  /** Folders below broker/features whose refusals the page lists. */
  features: readonly string[];
}

export const resources: readonly Resource[] = [
  {
    id: 'broker',
    title: 'Broker and setup',
    about: 'The health of the broker, its first setup, and its state.',
    paths: /^\/(?:healthz|readyz|setup|openapi\.json|diagnostics|addresses)(?:\/|$)/,
    features: ['setup', 'diagnostics'],
  },
  {
    id: 'activity',
    title: 'Activity',
    about: 'The activity of agents, and the tokens that they used.',
    paths: /\/activity(?:\/|$)/,
    features: ['activity'],
  },
  {
    id: 'runs',
    title: 'Runs of agents',
    about: 'The runs of agents and their machines, and the operations that stop or interrupt a run.',
    paths: /^\/runs(?:\/|$)|\/(?:stop-run|interrupt-run|run-tokens)$/,
    features: ['runs'],
  },
  {
    id: 'tokens',
    title: 'Tokens and authenticators',
    about: 'The credentials of members and their devices.',
    paths: /^\/devices(?:\/sessions)?$|\/(?:tokens|rotate-token|enroll-totp)(?:\/|$)/,
    features: ['tokens'],
  },
  {
    id: 'members',
    title: 'Members',
    about: 'People and agents, their roles, and their permissions.',
    paths: /^\/(?:members|member-kinds)(?:\/|$)/,
    features: ['members', 'kinds'],
  },
  {
    id: 'team',
    title: 'Team and presence',
    about: 'The team, its roster, and what members are doing.',
    paths: /^\/(?:team|briefing|roster|presence)(?:\/|$)/,
    features: ['team', 'briefing', 'presence'],
  },
  {
    id: 'sessions',
    title: 'Sessions',
    about: 'Logging in to the console, and signing out.',
    paths: /^\/sessions?(?:\/|$)/,
    features: ['sessions'],
  },
  {
    id: 'enrollment',
    title: 'Enrollment of devices',
    about: 'A device asks to join, and an operator decides.',
    paths: /^\/enroll(?:\/|$)/,
    features: ['enrollment'],
  },
  {
    id: 'web-push',
    title: 'Web push',
    about: 'Notifications of browsers.',
    paths: /^\/push\//,
    features: ['web-push'],
  },
  {
    id: 'messages',
    title: 'Messages',
    about: 'Sending, reading, changing, and following messages, with their receipts.',
    paths: /^\/(?:push|subscribe|history|messages|unread)(?:\/|$)/,
    features: ['messages', 'receipts', 'idempotency', 'scopes'],
  },
  {
    id: 'attention',
    title: 'Attention',
    about: 'The items that need a member, and those that the member has dealt with or put off.',
    paths: /^\/(?:attention|inbox)$/,
    features: ['attention', 'inbox'],
  },
  {
    id: 'channels',
    title: 'Channels',
    about: 'Channels and their members.',
    paths: /^\/channels(?:\/|$)/,
    features: ['channels'],
  },
  {
    id: 'objectives',
    title: 'Objectives',
    about: 'Work with an outcome, an assignee, and a thread.',
    paths: /^\/objectives(?:\/|$)/,
    features: ['objectives'],
  },
  {
    id: 'search',
    title: 'Search',
    about: 'Words in messages and objectives.',
    paths: /^\/search$/,
    features: ['search'],
  },
  {
    id: 'files',
    title: 'Files',
    about: 'The team’s files and who may read them.',
    paths: /^\/fs\//,
    features: ['files'],
  },
  {
    id: 'held-posts',
    title: 'Held posts',
    about: 'Posts of agents that nobody receives until a manager releases them.',
    paths: /^\/held(?:\/|$)/,
    features: ['holds'],
  },
  {
    id: 'audit',
    title: 'Audit log',
    about: 'Changes that matter for security.',
    paths: /^\/audit(?:\/|$)/,
    features: ['audit'],
  },
  {
    id: 'retention',
    title: 'Retention and legal holds',
    about: 'Removing what is old, and keeping what must be kept.',
    paths: /^\/retention(?:\/|$)/,
    features: ['retention'],
  },
  {
    id: 'platform',
    title: 'Hosted platform',
    about: 'Binding a hosted control plane.',
    paths: /^\/platform-connect\//,
    features: ['platform-connect'],
  },
];

/** Returns the resource of an operation. @throws Error if no resource has it. */
export function resourceOf({ path }: Pick<Operation, 'path'>): Resource {
  const found = resources.find(({ paths }) => paths.test(path));
  if (found === undefined) throw new Error(`docs/resources.ts has no page for ${path}`);
  return found;
}
