/** Exposes the bridge to the page, with one function per row of the tables. It is bundled as CommonJS. */
import { contextBridge, ipcRenderer } from 'electron';
import {
  addressArgument,
  bridgeCalls,
  bridgeEvents,
  type CallName,
  channelOf,
  type DesktopBridge,
  type EventName,
} from './bridge.ts';

const calls = (Object.keys(bridgeCalls) as CallName[]).map(
  (name) => [name, (argument: unknown = null) => ipcRenderer.invoke(channelOf(name), argument)] as const,
);
const events = (Object.keys(bridgeEvents) as EventName[]).map(
  (name) =>
    [
      name,
      (listener: (news: unknown) => void) =>
        void ipcRenderer.on(channelOf(name), (_event, news: unknown) => listener(news)),
    ] as const,
);
const bridge = {
  address: process.argv.find((word) => word.startsWith(addressArgument))?.slice(addressArgument.length) ?? '',
  ...Object.fromEntries([...calls, ...events]),
} as DesktopBridge;
contextBridge.exposeInMainWorld('muster', bridge);
