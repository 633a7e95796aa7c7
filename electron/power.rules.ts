/** What the desktop does when the machine sleeps, wakes, or its network changes (design "Process and lifetime"). */

export type PowerEvent = 'suspend' | 'resume' | 'network' | 'shutdown';
export type PowerAction = 'closeFeeds' | 'openFeeds' | 'readPending' | 'renewCertificate' | 'quit';

const actionsByEvent: Record<PowerEvent, readonly PowerAction[]> = {
  // Streams would look alive after hours of sleep.
  suspend: ['closeFeeds'],
  // It may have woken up on another network.
  resume: ['openFeeds', 'readPending', 'renewCertificate'],
  network: ['renewCertificate'],
  shutdown: ['quit'],
};

export const powerActions = (event: PowerEvent): readonly PowerAction[] => actionsByEvent[event];
