/** Notifications of the system. Clicking one opens a window; nothing is ever decided by it (design "Windows, tray, approvals"). */
import { Notification as SystemNotification } from 'electron';

export interface Notice {
  title: string;
  body: string;
  onClick(): void;
}

export interface Notices {
  show(notice: Notice): void;
}

/** At once; older ones of a flood go. */
const maxShown = 20;

export interface NoticesDeps {
  /** The system shows none: macOS refuses those of unsigned apps. */
  onRefused(notice: Notice, reason: string): void;
}

export function createNotices({ onRefused }: NoticesDeps): Notices {
  // A notification that nothing refers to may be collected, and its click with it.
  const shown = new Set<SystemNotification>();
  return {
    show(notice) {
      if (!SystemNotification.isSupported()) return onRefused(notice, 'this system shows no notifications');
      const { title, body, onClick } = notice;
      const notification = new SystemNotification({ title, body });
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
