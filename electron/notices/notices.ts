/**
 * System notifications. Clicking one opens a window and decides nothing
 * (specification/desktop.md#windows-tray-approvals).
 */
import process from 'node:process';
import { Notification as SystemNotification } from 'electron';
import { noticeBody } from './notices.rules.ts';

export interface Notice {
  title: string;
  body: string;
  onClick(): void;
}

export interface Notices {
  show(notice: Notice): void;
}

/** The number of notifications that are kept at a time; the oldest ones are dropped first. */
const maxShown = 20;

export interface NoticesDeps {
  /** Called when the system does not show a notification. macOS refuses those of unsigned apps. */
  onRefused(notice: Notice, reason: string): void;
}

export function createNotices({ onRefused }: NoticesDeps): Notices {
  // A notification without a reference may be garbage-collected together with its click handler.
  const shown = new Set<SystemNotification>();
  return {
    show(notice) {
      if (!SystemNotification.isSupported()) return onRefused(notice, 'this system shows no notifications');
      const { title, body, onClick } = notice;
      const notification = new SystemNotification({ title, body: noticeBody(body, process.platform) });
      notification.on('click', () => {
        shown.delete(notification);
        onClick();
      });
      notification.on('close', () => shown.delete(notification));
      notification.on('failed', (_event, error) => {
        shown.delete(notification);
        onRefused(notice, error);
      });
      shown.add(notification);
      if (shown.size > maxShown) [...shown][0]?.close();
      notification.show();
    },
  };
}
