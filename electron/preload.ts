/** The bridge in the page's world: a list of words, the page never sees the module that carries them. Bundled as CommonJS. */
import { contextBridge, ipcRenderer } from 'electron';
import { type AgentNews, addressArgument, channels, type DesktopBridge, type FeedNews } from './bridge.ts';

const bridge: DesktopBridge = {
  address: process.argv.find((word) => word.startsWith(addressArgument))?.slice(addressArgument.length) ?? '',
  request: (request) => ipcRenderer.invoke(channels.request, request),
  openFeed: (feed) => ipcRenderer.invoke(channels.openFeed, feed),
  closeFeed: (feed) => ipcRenderer.invoke(channels.closeFeed, feed),
  onFeed(listener) {
    ipcRenderer.on(channels.feed, (_event, news: FeedNews) => listener(news));
  },
  agentKinds: () => ipcRenderer.invoke(channels.agentKinds, null),
  chooseAgentFolder: () => ipcRenderer.invoke(channels.chooseAgentFolder, null),
  chooseAgentProgram: () => ipcRenderer.invoke(channels.chooseAgentProgram, null),
  listAgents: () => ipcRenderer.invoke(channels.listAgents, null),
  startAgent: (start) => ipcRenderer.invoke(channels.startAgent, start),
  stopAgent: (id) => ipcRenderer.invoke(channels.stopAgent, id),
  restartAgent: (id) => ipcRenderer.invoke(channels.restartAgent, id),
  removeAgent: (id) => ipcRenderer.invoke(channels.removeAgent, id),
  followAgent: (id) => ipcRenderer.invoke(channels.followAgent, id),
  tellCommands: (commands) => ipcRenderer.invoke(channels.commands, commands),
  onCommand(listener) {
    ipcRenderer.on(channels.command, (_event, id: string) => listener(id));
  },
  onAgents(listener) {
    ipcRenderer.on(channels.agents, (_event, news: AgentNews) => listener(news));
  },
  lanState: () => ipcRenderer.invoke(channels.lanState, null),
  turnLanOn: () => ipcRenderer.invoke(channels.turnLanOn, null),
  turnLanOff: () => ipcRenderer.invoke(channels.turnLanOff, null),
  keyState: () => ipcRenderer.invoke(channels.keyState, null),
  exportKey: () => ipcRenderer.invoke(channels.exportKey, null),
};
contextBridge.exposeInMainWorld('muster', bridge);
