/** The tray's "Start at login" item. */
import type { Env } from '#protocol/paths.ts';
import { createLoginItem } from './login-item.ts';

export interface LoginSwitch {
  /** The setting as it was last read; null if this app cannot start at login. */
  readonly isOn: boolean | null;
  /** @throws the system's error. */
  toggle(): Promise<void>;
}

export async function createLoginSwitch(env: Env, home: string): Promise<LoginSwitch> {
  const item = createLoginItem(env, home);
  let isOn = (await item?.read()) ?? null;
  return {
    get isOn() {
      return isOn;
    },
    async toggle() {
      if (item === null) return;
      await item.set(!(await item.read()));
      isOn = await item.read();
    },
  };
}
