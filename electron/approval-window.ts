/**
 * The small window that opens when a device asks to join. If it opens by itself, it does not take the focus. It
 * ignores keys and clicks until it is armed. Its page approves under the rights of the session.
 */
import { setTimeout as after } from 'node:timers/promises';
import { type BrowserWindow, screen } from 'electron';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { approvalView, armingMs, isArmed, newCodes } from './approval-queue.rules.ts';
import { whenReady } from './when-ready.ts';
import { type Box, besideTray } from './window-options.rules.ts';

export interface ApprovalWindow {
  /**
   * Opens the window for a new code, moves on to the next code, and closes the window when none is waiting.
   */
  update(pending: readonly PendingEnrollment[]): void;
  /** Shows this code, which a person chose, and takes the focus. */
  show(userCode: string): void;
}

export interface ApprovalWindowDeps {
  open(path: string): BrowserWindow;
  /** Called when an enrollment starts to wait. */
  onNew(enrollment: PendingEnrollment): void;
  trayBox(): Box | null;
  now(): number;
}

interface Popup {
  window: BrowserWindow;
  userCode: string;
  /** A person chose the code, so the window may take the focus. */
  isChosen: boolean;
  /** When it came to the front last, in epoch ms; null until it has something to show. */
  shownAt: number | null;
}

export function createApprovalWindow({ open, onNew, trayBox, now }: ApprovalWindowDeps): ApprovalWindow {
  let popup: Popup | null = null;
  let pending: readonly PendingEnrollment[] = [];

  function present(userCode: string | null, isChosen: boolean): void {
    const view = approvalView(pending, userCode, now());
    if (view === null) {
      popup?.window.close();
      return;
    }
    if (popup === null || popup.userCode !== view.userCode) {
      popup?.window.destroy();
      popup = openPopup(view.userCode, isChosen);
    } else if (isChosen) {
      popup.isChosen = true;
      if (popup.shownAt !== null) bringUp(popup);
    }
    popup.window.setTitle(view.title);
  }

  function openPopup(userCode: string, isChosen: boolean): Popup {
    const window = open(`/app/approve?code=${encodeURIComponent(userCode)}`);
    const opened: Popup = { window, userCode, isChosen, shownAt: null };
    window.on('closed', () => {
      if (popup === opened) popup = null;
    });
    // Pages set their own titles, but this title shows the code and its place in the queue.
    window.on('page-title-updated', (event) => event.preventDefault());
    window.webContents.on('before-input-event', (event) => {
      if (!isArmed(opened.shownAt, now())) event.preventDefault();
    });
    window.setIgnoreMouseEvents(true);
    whenReady(window, () => {
      const tray = trayBox();
      const at = tray ?? screen.getCursorScreenPoint();
      const area = screen.getDisplayNearestPoint({ x: at.x, y: at.y }).workArea;
      const { x, y } = besideTray(tray, area, window.getBounds());
      window.setPosition(x, y);
      bringUp(opened);
    });
    return opened;
  }

  /** From then on, the window ignores keys and clicks until it is armed. */
  function bringUp(shown: Popup): void {
    const { window, isChosen } = shown;
    const at = now();
    shown.shownAt = at;
    window.setIgnoreMouseEvents(true);
    if (window.isMinimized()) window.restore();
    if (isChosen) {
      window.show();
      window.focus();
    } else window.showInactive();
    void after(armingMs).then(() => {
      if (shown.shownAt === at && !window.isDestroyed()) window.setIgnoreMouseEvents(false);
    });
  }

  return {
    update(next) {
      const codes = newCodes(pending, next);
      pending = next;
      for (const one of next) if (codes.includes(one.userCode)) onNew(one);
      const [fresh] = codes;
      if (popup !== null) present(popup.userCode, false);
      else if (fresh !== undefined) present(fresh, false);
    },
    show: (userCode) => present(userCode, true),
  };
}
