/** The bridge in the page's world: four words, the page never sees the module that carries them. Bundled as CommonJS. */
import { contextBridge, ipcRenderer } from 'electron';
import { addressArgument, channels, type DesktopBridge, type FeedNews } from './bridge.ts';

const bridge: DesktopBridge = {
  address: process.argv.find((word) => word.startsWith(addressArgument))?.slice(addressArgument.length) ?? '',
  request: (request) => ipcRenderer.invoke(channels.request, request),
  openFeed: (feed) => ipcRenderer.invoke(channels.openFeed, feed),
  closeFeed: (feed) => ipcRenderer.invoke(channels.closeFeed, feed),
  onFeed(listener) {
    ipcRenderer.on(channels.feed, (_event, news: FeedNews) => listener(news));
  },
};
contextBridge.exposeInMainWorld('muster', bridge);
