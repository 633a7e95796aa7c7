/** Derives the tray's update item from what the updater reports. Pure. */

export type UpdateState =
  /** The app was packaged without a feed. */
  | { kind: 'absent' }
  | { kind: 'idle' }
  | { kind: 'checking' }
  | { kind: 'current'; version: string }
  | { kind: 'loading'; version: string; percent: number }
  | { kind: 'ready'; version: string }
  | { kind: 'failed'; reason: string };

export type UpdateEvent =
  | { kind: 'check' }
  | { kind: 'available'; version: string }
  | { kind: 'none'; version: string }
  | { kind: 'progress'; percent: number }
  | { kind: 'loaded'; version: string }
  | { kind: 'error'; reason: string };

/**
 * A downloaded update stays ready whatever a later check reports, because it is installed when the app ends.
 */
export function nextUpdateState(state: UpdateState, event: UpdateEvent): UpdateState {
  if (state.kind === 'absent' || state.kind === 'ready') return state;
  switch (event.kind) {
    case 'check':
      return state.kind === 'loading' ? state : { kind: 'checking' };
    case 'available':
      return { kind: 'loading', version: event.version, percent: 0 };
    case 'none':
      return { kind: 'current', version: event.version };
    case 'progress':
      return state.kind === 'loading' ? { ...state, percent: Math.round(event.percent) } : state;
    case 'loaded':
      return { kind: 'ready', version: event.version };
    case 'error':
      return { kind: 'failed', reason: event.reason };
  }
}

/** Returns the tray's item, or null without a feed. `isEnabled`: choosing it has an effect. */
export function updateItem(state: UpdateState): { label: string; isEnabled: boolean } | null {
  switch (state.kind) {
    case 'absent':
      return null;
    case 'idle':
      return { label: 'Check for updates', isEnabled: true };
    case 'checking':
      return { label: 'Checking for updates…', isEnabled: false };
    case 'current':
      return { label: `Check for updates (${state.version} is the latest)`, isEnabled: true };
    case 'loading':
      return { label: `Downloading version ${state.version}… ${state.percent}%`, isEnabled: false };
    case 'ready':
      return { label: `Restart to update to ${state.version}`, isEnabled: true };
    case 'failed':
      return { label: 'Check for updates (the last check failed)', isEnabled: true };
  }
}
