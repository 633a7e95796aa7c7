/** What the engine may grant a page: to write to the clipboard, for copy buttons. Camera, places, devices, notifications: nothing else, to nobody. */
import { isConsoleUrl } from './console-origin.rules.ts';

export interface PermissionAsker {
  isMainFrame: boolean;
  /** Of the frame as the engine has it; absent when no document asks. */
  requestingUrl?: string;
}

/** `permission` as the engine names it. */
export const isGranted = (
  permission: string,
  { isMainFrame, requestingUrl = '' }: PermissionAsker,
): boolean => permission === 'clipboard-sanitized-write' && isMainFrame && isConsoleUrl(requestingUrl);
