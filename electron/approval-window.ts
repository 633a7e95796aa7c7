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

export function createApprovalWindow({ open, onNew, trayBox, now }: ApprovalWindowDeps): ApprovalWindow {
  let window: BrowserWindow | null = null;
  let pending: readonly PendingEnrollment[] = [];
  let shown: string | null = null;
  let shownAt = 0;
  /** A person chose the code, so its window may take the focus. */
  let isChosen = false;

  function present(userCode: string | null): void {
    const view = approvalView(pending, userCode, now());
    if (view === null) {
      shown = null;
      window?.close();
      return;
    }
    if (window !== null && view.userCode === shown) {
      window.setTitle(view.title);
      if (isChosen) bringToFront(window);
      return;
    }
    const path = `/app/approve?code=${encodeURIComponent(view.userCode)}`;
    window?.destroy();
    const opened = open(path);
    window = opened;
    shown = view.userCode;
    opened.on('closed', () => {
      if (window === opened) window = null;
    });
    // Pages set their own titles, but this title shows the code and its place in the queue.
    opened.on('page-title-updated', (event) => event.preventDefault());
    opened.setTitle(view.title);
    opened.webContents.on('before-input-event', (event) => {
      if (!isArmed(shownAt, now())) event.preventDefault();
    });
    opened.setIgnoreMouseEvents(true);
    const mayTakeFocus = isChosen;
    whenReady(opened, () => {
      const tray = trayBox();
      const at = tray ?? screen.getCursorScreenPoint();
      const area = screen.getDisplayNearestPoint({ x: at.x, y: at.y }).workArea;
      const { x, y } = besideTray(tray, area, opened.getBounds());
      opened.setPosition(x, y);
      shownAt = now();
      if (mayTakeFocus) bringToFront(opened);
      else opened.showInactive();
      void after(armingMs).then(() => {
        if (!opened.isDestroyed()) opened.setIgnoreMouseEvents(false);
      });
    });
  }

  return {
    update(next) {
      const codes = newCodes(pending, next);
      pending = next;
      for (const one of next) if (codes.includes(one.userCode)) onNew(one);
      const [fresh] = codes;
      if (window !== null) present(shown);
      else if (fresh !== undefined) present(fresh);
    },
    show(userCode) {
      isChosen = true;
      present(userCode);
      isChosen = false;
    },
  };
}

function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
