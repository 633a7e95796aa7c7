/** Every verb of the command. A module is loaded only when its verb is used. */
import type { Verb } from './verb.ts';

export interface VerbRow {
  name: string;
  group: 'Server' | 'Client' | 'Operator' | 'Agents';
  summary: string;
  load: () => Promise<{ verb: Verb }>;
}

export const verbTable: readonly VerbRow[] = [
  {
    name: 'setup',
    group: 'Server',
    summary: 'write a new configuration: the team and its first member',
    load: () => import('./verbs/setup.verb.ts'),
  },
  {
    name: 'serve',
    group: 'Server',
    summary: 'run the broker',
    load: () => import('./verbs/serve.verb.ts'),
  },
  {
    name: 'prune-activity',
    group: 'Server',
    summary: 'remove old activity and give its space back',
    load: () => import('./verbs/prune-activity.verb.ts'),
  },
  {
    name: 'doctor',
    group: 'Server',
    summary: 'check this installation and the way to the broker',
    load: () => import('./verbs/doctor.verb.ts'),
  },
  {
    name: 'chat',
    group: 'Client',
    summary: 'read and write messages, live',
    load: () => import('./verbs/chat.verb.ts'),
  },
  {
    name: 'push',
    group: 'Client',
    summary: 'send one message',
    load: () => import('./verbs/push.verb.ts'),
  },
  {
    name: 'recent',
    group: 'Client',
    summary: 'show past messages',
    load: () => import('./verbs/recent.verb.ts'),
  },
  {
    name: 'search',
    group: 'Client',
    summary: 'find messages and objectives by their words',
    load: () => import('./verbs/search.verb.ts'),
  },
  {
    name: 'roster',
    group: 'Client',
    summary: 'show the members and who is connected',
    load: () => import('./verbs/roster.verb.ts'),
  },
  {
    name: 'channels',
    group: 'Client',
    summary: 'named channels: make, join, manage and post',
    load: () => import('./verbs/channels.verb.ts'),
  },
  {
    name: 'objectives',
    group: 'Client',
    summary: 'units of work: create, follow, complete',
    load: () => import('./verbs/objectives.verb.ts'),
  },
  {
    name: 'fs',
    group: 'Client',
    summary: 'files of the team: list, fetch, store and move',
    load: () => import('./verbs/fs.verb.ts'),
  },
  {
    name: 'connect',
    group: 'Client',
    summary: 'join a team with this device',
    load: () => import('./verbs/connect.verb.ts'),
  },
  {
    name: 'enroll',
    group: 'Operator',
    summary: 'decide on devices that ask to join',
    load: () => import('./verbs/enroll.verb.ts'),
  },
  {
    name: 'members',
    group: 'Operator',
    summary: 'members, their tokens and authenticators',
    load: () => import('./verbs/members.verb.ts'),
  },
  {
    name: 'team',
    group: 'Operator',
    summary: 'show or change the team',
    load: () => import('./verbs/team.verb.ts'),
  },
  {
    name: 'telemetry',
    group: 'Operator',
    summary: 'see, enable or disable telemetry, which is off by default',
    load: () => import('./verbs/telemetry.verb.ts'),
  },
  {
    name: 'run',
    group: 'Agents',
    summary: 'run an agent as a member of the team',
    load: () => import('./verbs/run.verb.ts'),
  },
  {
    name: 'mcp-bridge',
    group: 'Agents',
    summary: 'the toolbox, for agents to start',
    load: () => import('./verbs/mcp-bridge.verb.ts'),
  },
  {
    name: 'mcp-hook',
    group: 'Agents',
    summary: 'for hooks of agents to run: hands over the messages that wait',
    load: () => import('./verbs/mcp-hook.verb.ts'),
  },
];
