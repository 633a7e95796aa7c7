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
    summary: 'create a configuration with a team and its first member',
    load: () => import('./verbs/setup.verb.ts'),
  },
  {
    name: 'serve',
    group: 'Server',
    summary: 'run the broker',
    load: () => import('./verbs/serve.verb.ts'),
  },
  {
    name: 'backup',
    group: 'Server',
    summary: 'back up a broker while it runs, to one file or to a folder',
    load: () => import('./verbs/backup.verb.ts'),
  },
  {
    name: 'restore',
    group: 'Server',
    summary: 'restore a backup into an empty place',
    load: () => import('./verbs/restore.verb.ts'),
  },
  {
    name: 'repair',
    group: 'Server',
    summary: 'find damage in the stores, and rebuild what can be rebuilt',
    load: () => import('./verbs/repair.verb.ts'),
  },
  {
    name: 'prune-activity',
    group: 'Server',
    summary: 'delete old activity and free its disk space',
    load: () => import('./verbs/prune-activity.verb.ts'),
  },
  {
    name: 'doctor',
    group: 'Server',
    summary: 'check this installation and the connection to the broker',
    load: () => import('./verbs/doctor.verb.ts'),
  },
  {
    name: 'demo',
    group: 'Server',
    summary: 'show a team of people and agents at work',
    load: () => import('./verbs/demo.verb.ts'),
  },
  {
    name: 'chat',
    group: 'Client',
    summary: 'read and write messages live',
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
    summary: 'search messages and objectives',
    load: () => import('./verbs/search.verb.ts'),
  },
  {
    name: 'inbox',
    group: 'Client',
    summary: 'show what needs you',
    load: () => import('./verbs/inbox.verb.ts'),
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
    summary: 'create, join, manage, and post in channels',
    load: () => import('./verbs/channels.verb.ts'),
  },
  {
    name: 'objectives',
    group: 'Client',
    summary: 'create, follow, and complete objectives',
    load: () => import('./verbs/objectives.verb.ts'),
  },
  {
    name: 'fs',
    group: 'Client',
    summary: 'list, download, upload, and move the team’s files',
    load: () => import('./verbs/fs.verb.ts'),
  },
  {
    name: 'connect',
    group: 'Client',
    summary: 'join a team with this device',
    load: () => import('./verbs/connect.verb.ts'),
  },
  {
    name: 'login',
    group: 'Client',
    summary: 'open the console, or save a token for the following commands',
    load: () => import('./verbs/login.verb.ts'),
  },
  {
    name: 'logout',
    group: 'Client',
    summary: 'forget the saved token',
    load: () => import('./verbs/logout.verb.ts'),
  },
  {
    name: 'save-token',
    group: 'Client',
    summary: 'save a token that you have',
    load: () => import('./verbs/save-token.verb.ts'),
  },
  {
    name: 'sessions',
    group: 'Client',
    summary: 'list where a member is logged in to the console, and sign out',
    load: () => import('./verbs/sessions.verb.ts'),
  },
  {
    name: 'completion',
    group: 'Client',
    summary: 'print the script with which a shell completes this command',
    load: () => import('./verbs/completion.verb.ts'),
  },
  {
    name: 'held',
    group: 'Operator',
    summary: 'list, release, and drop posts of agents that are held',
    load: () => import('./verbs/held.verb.ts'),
  },
  {
    name: 'enroll',
    group: 'Operator',
    summary: 'approve or reject devices that ask to join',
    load: () => import('./verbs/enroll.verb.ts'),
  },
  {
    name: 'members',
    group: 'Operator',
    summary: 'manage members, their tokens, and their authenticators',
    load: () => import('./verbs/members.verb.ts'),
  },
  {
    name: 'team',
    group: 'Operator',
    summary: 'show or change the team',
    load: () => import('./verbs/team.verb.ts'),
  },
  {
    name: 'audit',
    group: 'Operator',
    summary: 'show, export, and verify the log of security-relevant changes',
    load: () => import('./verbs/audit.verb.ts'),
  },
  {
    name: 'retention',
    group: 'Operator',
    summary: 'remove what is old by rules that are off by default, and set legal holds',
    load: () => import('./verbs/retention.verb.ts'),
  },
  {
    name: 'standby',
    group: 'Operator',
    summary: 'show which machine is active, and which ones stand by',
    load: () => import('./verbs/standby.verb.ts'),
  },
  {
    name: 'telemetry',
    group: 'Operator',
    summary: 'inspect, enable, or disable telemetry, which is off by default',
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
    summary: 'serve the toolbox over MCP; started by agents',
    load: () => import('./verbs/mcp-bridge.verb.ts'),
  },
  {
    name: 'mcp-hook',
    group: 'Agents',
    summary: 'hand waiting messages to an agent; run by its hooks',
    load: () => import('./verbs/mcp-hook.verb.ts'),
  },
];
