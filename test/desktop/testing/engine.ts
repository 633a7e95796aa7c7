/** The app under test as specs see it, and what an engine does for it. */
import type { Page } from 'playwright-core';
import type { AppPaths } from '#protocol/paths.ts';

/** An item of the tray's menu as a person sees it. A separator has the label `—`. */
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
  readonly home: string;
  /** The paths of its files in that home on this system. */
  readonly paths: AppPaths;
  readonly isReal: boolean;
  tray(): Promise<MenuView[]>;
  /** The menu of the app; on Linux and Windows, that of its windows. */
  appMenu(): Promise<MenuView[]>;
  /**
   * Chooses the item of the tray whose label starts with the first text; further labels go down its submenus.
   * @throws Error that lists what exists.
   */
  choose(...labels: string[]): Promise<void>;
  /** Like `choose`, in the menu of the app. */
  chooseInAppMenu(...labels: string[]): Promise<void>;
  /** In the order in which they were opened, closed ones included. */
  windows(): Promise<WindowView[]>;
  page(window: number): Promise<Page>;
  /** As with its close button. */
  closeWindow(window: number): Promise<void>;
  /**
   * Returns the app's actions outside its windows, in order: `clipboard …`, `external …`, `box …`, `notification …`,
   * `path …`, `exit …`.
   */
  said(): Promise<string[]>;
  /** Sets the button for the next message box; the default is the cancel button. */
  answer(button: number): Promise<void>;
  /** Sets the path for the next open or save dialog; by default, it is cancelled. */
  pickPath(path: string): Promise<void>;
  /** Clicks the notification with this title. */
  clickNotification(title: string): Promise<void>;
  /** Lets the engine report this event of the system. */
  power(event: 'suspend' | 'resume' | 'shutdown'): Promise<void>;
  /** Sends this signal to the app's process. */
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): Promise<void>;
  /** As when the person starts the app while it runs. */
  launchAgain(): Promise<void>;
  /** Lets a promise of the main process fail without anybody to catch it. */
  fail(message: string): Promise<void>;
  /** As with the system's Quit. */
  quit(): Promise<void>;
  /** Ends what is left and deletes the home. */
  close(): Promise<void>;
}

export interface DesktopOptions {
  hasKeychain?: boolean;
  /** When the keychain answers, for example after the person unlocked it; only on the stand-in. */
  keychainOpens?: Promise<void>;
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** The packed app, laid out as a folder; by default, what is built from the sources. */
  appPath?: string;
  /** Another start of the same person's app. The home belongs to its creator. */
  home?: string;
}

export interface EngineOptions extends Omit<DesktopOptions, 'env'> {
  home: string;
  /** The differences from the environment of this process; undefined: the variable is not set. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface Engine extends Omit<DesktopApp, 'home' | 'paths' | 'isReal' | 'choose' | 'chooseInAppMenu'> {
  /** Positions, one per level. */
  chooseAt(menu: 'tray' | 'app', path: readonly number[]): Promise<void>;
}
