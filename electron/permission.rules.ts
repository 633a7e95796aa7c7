/**
 * Decides what Electron may grant a page: writing to the clipboard, for the copy buttons, and nothing else.
 */
import { isConsoleUrl } from './console-origin.rules.ts';

export interface PermissionAsker {
  isMainFrame: boolean;
  /** The address of the frame as Electron reports it; absent if no document asks. */
  requestingUrl?: string;
}

/** `permission` is Electron's name. */
export const isGranted = (
  permission: string,
  { isMainFrame, requestingUrl = '' }: PermissionAsker,
): boolean => permission === 'clipboard-sanitized-write' && isMainFrame && isConsoleUrl(requestingUrl);
