/**
 * The actions of the desktop app when the machine sleeps, wakes up, or changes networks
 * (specification/desktop.md#process-and-lifetime).
 */

export type PowerEvent = 'suspend' | 'resume' | 'network' | 'shutdown';
export type PowerAction = 'closeFeeds' | 'openFeeds' | 'readPending' | 'renewCertificate' | 'quit';

const actionsByEvent: Record<PowerEvent, readonly PowerAction[]> = {
  // After hours of sleep, streams would still look open.
  suspend: ['closeFeeds'],
  // The machine may wake up on another network.
  resume: ['openFeeds', 'readPending', 'renewCertificate'],
  network: ['renewCertificate'],
  shutdown: ['quit'],
};

export const powerActions = (event: PowerEvent): readonly PowerAction[] => actionsByEvent[event];
