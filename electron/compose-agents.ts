/**
 * Composes what depends on the session of this desktop: the devices that wait for approval, and the agents
 * that run here.
 */
import { app } from 'electron';
import { type Agents, createAgents } from './agents/agents.ts';
import type { HostedBroker } from './compose-broker.ts';
import type { DesktopContext } from './desktop-context.ts';
import { createInboxCount, type InboxCount } from './inbox-count.ts';
import { createPendingDevices, type PendingDevices } from './pending-devices.ts';
import { clientWith } from './session-client.ts';
import { isServed } from './tray-model.rules.ts';

export interface ComposedAgents {
  devices: PendingDevices;
  inbox: InboxCount;
  agents: Agents;
}

export async function composeAgents(context: DesktopContext, broker: HostedBroker): Promise<ComposedAgents> {
  const { paths, env, log, events, quitting } = context;
  const { host, jar, client } = broker;
  const devices = createPendingDevices({
    host,
    jar,
    client,
    log,
    onMessage: (message, self) => events.emit('message', message, self),
    onNews: () => events.emit('news'),
    onChange: () => events.emit('devices'),
  });
  const inbox = createInboxCount({
    client,
    member: () => devices.member,
    onChange: () => events.emit('inbox'),
    log,
  });
  for (const change of ['devices', 'news'] as const) events.on(change, inbox.read);
  quitting.add('inbox', inbox.close);
  const agents = await createAgents({
    dataDir: paths.dataDir,
    env,
    installation: {
      isPackaged: app.isPackaged,
      resourcesPath: process.resourcesPath,
      appPath: app.getAppPath(),
      checkoutNode: env.SVC_NODE,
    },
    url: () => host.address,
    clientOf(credential) {
      if (credential === 'session') return client;
      const headers = { authorization: `Bearer ${credential.bearer}` };
      return clientWith(host, () => headers);
    },
    onChange: () => events.emit('agents'),
    onLine: (id, line) => events.emit('agentLine', id, line),
    log,
  });
  // The agents end before the broker, because they upload their remaining activity and their tokens are
  // revoked.
  quitting.add('agents', agents.stopAll);

  /** Reads who is logged in, and follows what that member may see. */
  async function follow(): Promise<void> {
    await devices.follow();
    if (devices.member !== null) await agents.revokeLeft();
  }
  const followAgain = (): void => {
    follow().catch((error: unknown) => log.error({ err: error }, 'the session could not be followed'));
  };
  // A renewed cookie belongs to the same session, so its stream stays open.
  events.on('session', (value) => void ((value === null || devices.member === null) && followAgain()));
  let wasServed = false;
  events.on('broker', () => {
    const isNow = isServed(host.state);
    if (isNow && !wasServed) followAgain();
    wasServed = isNow;
  });
  return { devices, inbox, agents };
}
