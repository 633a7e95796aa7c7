/** What the session of this desktop stands for: the devices that wait for approval, and the agents that run here. */
import { app } from 'electron';
import { type Agents, createAgents } from './agents/agents.ts';
import type { HostedBroker } from './compose-broker.ts';
import type { DesktopContext } from './desktop-context.ts';
import { createPendingDevices, type PendingDevices } from './pending-devices.ts';
import { clientWith } from './session-client.ts';

export interface ComposedAgents {
  devices: PendingDevices;
  agents: Agents;
  /** Reads who is logged in, and follows what that member may see. */
  follow(): Promise<void>;
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
    onChange: () => events.emit('devices'),
  });
  const agents = await createAgents({
    dataDir: paths.dataDir,
    env,
    installation: {
      isPackaged: app.isPackaged,
      resourcesPath: process.resourcesPath,
      appPath: app.getAppPath(),
    },
    url: () => host.address,
    clientOf(credential) {
      if (credential === 'session') return client;
      const headers: Record<string, string> =
        credential === 'none' ? {} : { authorization: `Bearer ${credential.bearer}` };
      return clientWith(host, () => headers);
    },
    withheld: devices.withheld,
    onChange: () => events.emit('agents'),
    onLine: (id, line) => events.emit('agentLine', id, line),
    log,
  });
  // Before the broker: they upload what is left and their tokens are revoked, which needs it.
  quitting.add('agents', agents.stopAll);

  async function follow(): Promise<void> {
    await devices.follow();
    if (devices.member !== null) await agents.revokeLeft();
  }
  // A renewed cookie is the same session; its stream goes on.
  events.on('session', (value) => void ((value === null || devices.member === null) && follow()));
  return { devices, agents, follow };
}
