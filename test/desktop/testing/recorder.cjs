// Loaded into the real engine before the app: keeps what the app does outside its windows, and answers its dialogs. Nothing of the app changes.
const {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  Menu,
  Notification,
  powerMonitor,
  shell,
  Tray,
} = require('electron');

const windows = [];
const notifications = [];
let trayMenu = null;

const view = (item) => ({
  label: item.type === 'separator' ? '—' : item.label,
  isEnabled: item.enabled,
  isChecked: item.checked,
  accelerator: item.accelerator ?? null,
  items: item.submenu?.items.map(view) ?? [],
});
const viewOf = (window) => ({
  title: window.isDestroyed() ? '' : window.getTitle(),
  isShown: !window.isDestroyed() && window.isVisible(),
  isGone: window.isDestroyed(),
});

const recorded = {
  said: [],
  answers: [],
  paths: [],
  tray: () => trayMenu?.items.map(view) ?? [],
  appMenu: () => Menu.getApplicationMenu()?.items.map(view) ?? [],
  chooseAt({ menu, path }) {
    let { items } = menu === 'tray' ? trayMenu : Menu.getApplicationMenu();
    for (const at of path.slice(0, -1)) items = items[at].submenu.items;
    items[path.at(-1)].click();
  },
  windows: () => windows.map(viewOf),
  idOf: (at) => windows[at].id,
  closeWindow: (at) => windows[at].close(),
  clickNotification: (title) => notifications.findLast((one) => one.title === title).emit('click'),
  power: (event) => powerMonitor.emit(event, { preventDefault() {} }),
};
globalThis.recorded = recorded;
const say = (line) => recorded.said.push(line);

const { setContextMenu, destroy } = Tray.prototype;
Tray.prototype.setContextMenu = function (next) {
  trayMenu = next;
  setContextMenu.call(this, next);
};
Tray.prototype.destroy = function () {
  say('tray gone');
  destroy.call(this);
};
app.on('browser-window-created', (_event, window) => windows.push(window));

const optionsOf = (given) => (given[0] instanceof BrowserWindow ? given[1] : given[0]);
dialog.showMessageBox = async (...given) => {
  const { message, cancelId } = optionsOf(given);
  say(`box ${message}`);
  return { response: recorded.answers.shift() ?? cancelId, checkboxChecked: false };
};
dialog.showMessageBoxSync = (...given) => {
  const { message, cancelId } = optionsOf(given);
  say(`box ${message}`);
  return recorded.answers.shift() ?? cancelId;
};
dialog.showErrorBox = (title, content) => say(`box ${title}: ${content}`);
dialog.showOpenDialog = async (...given) => {
  say(`pick ${optionsOf(given).title}`);
  const path = recorded.paths.shift();
  return { canceled: path === undefined, filePaths: path === undefined ? [] : [path] };
};
dialog.showSaveDialog = async (...given) => {
  say(`save ${optionsOf(given).title}`);
  const path = recorded.paths.shift();
  return { canceled: path === undefined, filePath: path ?? '' };
};
shell.openExternal = async (url) => void say(`external ${url}`);
shell.openPath = async (path) => {
  say(`path ${path}`);
  return '';
};
clipboard.writeText = async (text) => void say(`clipboard ${text}`);
Notification.prototype.show = function () {
  notifications.push(this);
  say(`notification ${this.title}: ${this.body}`);
  this.emit('show');
};
