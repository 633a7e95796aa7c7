/** Menus, the tray, and notifications, which are recorded because there is no desktop. */
import { EventEmitter } from 'node:events';
import process from 'node:process';
import { standin } from './standin.ts';

export interface MenuTemplateItem {
  label?: string;
  type?: string;
  enabled?: boolean;
  checked?: boolean;
  accelerator?: string;
  role?: string;
  submenu?: MenuTemplateItem[];
  /** As documented, the item is passed along, and a checkbox has already changed its mark. */
  click?(item: MenuTemplateItem): void;
}
export class Menu {
  items: MenuTemplateItem[] = [];
  static setApplicationMenu(menu: Menu): void {
    standin.appMenu = menu;
  }
  static buildFromTemplate(items: MenuTemplateItem[]): Menu {
    return Object.assign(new Menu(), { items });
  }
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** Returns the part of a body that the desktops of Linux show: they read it as markup. */
const readAsMarkup = (body: string): string =>
  body.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);

export class Notification extends EventEmitter {
  readonly title: string;
  /** As the person sees it. */
  readonly body: string;
  constructor({ title, body }: { title: string; body: string }) {
    super();
    this.title = title;
    this.body = process.platform === 'linux' ? readAsMarkup(body) : body;
  }
  static isSupported = (): boolean => standin.hasNotifications;
  /** As documented, `show` follows, or `failed` if the system refuses. */
  show(): void {
    standin.notifications.push(this);
    standin.said.push(`notification ${this.title}: ${this.body}`);
    this.emit(standin.refusesNotifications ? 'failed' : 'show');
  }
  close(): void {
    this.emit('close');
  }
}

export class Tray extends EventEmitter {
  tooltip = '';
  menu = new Menu();
  isGone = false;
  hasImage: boolean;
  constructor(image: { isEmpty(): boolean }) {
    super();
    this.hasImage = !image.isEmpty();
    standin.trays.push(this);
  }
  setImage(image: { isEmpty(): boolean }): void {
    this.hasImage = !image.isEmpty();
  }
  setToolTip(tooltip: string): void {
    this.tooltip = tooltip;
  }
  setContextMenu(menu: Menu): void {
    this.menu = menu;
  }
  /** As on Linux, and on macOS while the menu bar hides it: unknown. */
  getBounds = () => ({ x: 0, y: 0, width: 0, height: 0 });
  destroy(): void {
    this.isGone = true;
    standin.said.push('tray gone');
  }
}
