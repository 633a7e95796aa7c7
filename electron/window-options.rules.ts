/** The options of every window, in one place. None of them weakens Electron's defaults. */

export type WindowKind = 'console' | 'approval';

const sizeByKind = {
  console: {
    width: 1280,
    height: 860,
    minWidth: 420,
    minHeight: 480,
    // The engine remembers where the person put the window that has this name.
    name: 'console',
    windowStatePersistence: { bounds: true, displayMode: true },
  },
  approval: { width: 440, height: 600, minWidth: 404, minHeight: 360 },
};

/**
 * Options of a BrowserWindow. `preload` is a file; `argument` is read by the preload script. Windows stay
 * hidden until they are shown, because an approval window must not take the key presses of a person who types
 * elsewhere.
 */
export function windowOptions(kind: WindowKind, preload: string, argument: string) {
  return {
    ...sizeByKind[kind],
    show: false,
    // The sizes are those of the page; frames differ between systems.
    useContentSize: true,
    title: 'Muster',
    autoHideMenuBar: true,
    ...(kind === 'approval' && { alwaysOnTop: true, maximizable: false, fullscreenable: false }),
    webPreferences: {
      preload,
      additionalArguments: [argument],
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      allowRunningInsecureContent: false,
      navigateOnDragDrop: false,
      // The dictionary would be downloaded from a server that is not the team's.
      spellcheck: false,
    },
  };
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const gap = 8;

/**
 * Returns the top left corner of a window of this size next to the tray icon and entirely on the screen;
 * without an icon, at the top right of the screen.
 */
export function besideTray(
  tray: Box | null,
  screen: Box,
  size: { width: number; height: number },
): { x: number; y: number } {
  const right = screen.x + screen.width - size.width - gap;
  const lowest = screen.y + screen.height - size.height - gap;
  if (tray === null || tray.width === 0) return { x: right, y: screen.y + gap };
  const x = Math.round(tray.x + tray.width / 2 - size.width / 2);
  const isAbove = tray.y + tray.height / 2 < screen.y + screen.height / 2;
  const y = isAbove ? tray.y + tray.height + gap : tray.y - size.height - gap;
  return {
    x: Math.max(screen.x + gap, Math.min(x, right)),
    y: Math.max(screen.y + gap, Math.min(y, lowest)),
  };
}
