/** The app under test as specs see it, and what an engine does for it. */
import type { Page } from 'playwright-core';

/** An item of the tray's menu, as a person sees it; a separator has the label `—`. */
export interface MenuView {
  label: string;
  isEnabled: boolean;
  isChecked: boolean;
  accelerator: string | null;
  items: MenuView[];
}

export interface WindowView {
  title: string;
  isShown: boolean;
  isGone: boolean;
}

export interface DesktopApp {
  /** Its home: `config`, `data` and `cache` are inside. */
  readonly home: string;
  readonly isReal: boolean;
  tray(): Promise<MenuView[]>;
  /** The menu of the app; on Linux and Windows that of its windows. */
  appMenu(): Promise<MenuView[]>;
  /** The tray's item whose label starts so; further labels go down its submenus. @throws Error that lists what there is. */
  choose(...labels: string[]): Promise<void>;
  /** As choose, in the menu of the app. */
  chooseInAppMenu(...labels: string[]): Promise<void>;
  /** In the order they were opened, those that are gone included. */
  windows(): Promise<WindowView[]>;
  page(window: number): Promise<Page>;
  /** As by its close button. */
  closeWindow(window: number): Promise<void>;
  /** What the app did outside its windows, in order: `clipboard …`, `external …`, `box …`, `notification …`, `path …`, `exit …`. */
  said(): Promise<string[]>;
  /** The button of the next message box; without it, the cancel button. */
  answer(button: number): Promise<void>;
  /** The path of the next open or save dialog; without it, it is cancelled. */
  pickPath(path: string): Promise<void>;
  /** What a notification of this title was clicked for. */
  clickNotification(title: string): Promise<void>;
  /** The engine reports that the system does this. */
  power(event: 'suspend' | 'resume' | 'shutdown'): Promise<void>;
  /** As by the system's Quit. */
  quit(): Promise<void>;
  /** Ends what is left and takes the home away. */
  close(): Promise<void>;
}

export interface DesktopOptions {
  hasKeychain?: boolean;
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** Another start of the same person's app; the home stays with who made it. */
  home?: string;
}

export interface EngineOptions extends DesktopOptions {
  home: string;
  env: Readonly<Record<string, string>>;
}

export interface Engine extends Omit<DesktopApp, 'home' | 'isReal' | 'choose' | 'chooseInAppMenu'> {
  /** Positions, one per level. */
  chooseAt(menu: 'tray' | 'app', path: readonly number[]): Promise<void>;
}
