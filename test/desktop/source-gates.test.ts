/**
 * Rules about the desktop's sources that no run can show: what they never contain, and what stands in one
 * place only (specification/desktop.md#renderer-and-security).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../testing/build-once.ts';

interface Source {
  path: string;
  /** Without comments. */
  code: string;
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

const sourcesOf = (...folders: string[]): Source[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: 'utf8', recursive: true })
      .filter((name) => /\.(?:ts|tsx)$/.test(name) && !/\.test\.ts$|(?:^|\/)testing\//.test(name))
      .map((name) => {
        const path = `${folder}/${name}`;
        return { path, code: withoutComments(readFileSync(join(root, path), 'utf8')) };
      }),
  );

/** Not part of the app: they build it. */
const tools = ['electron/build.ts', 'electron/draw-icons.ts'];

const electron = sourcesOf('electron').filter(({ path }) => !tools.includes(path));
const everywhere = [...electron, ...sourcesOf('broker', 'runner', 'bin', 'renderer')];

/** Returns `path: line` for each match. */
const placesOf = (pattern: RegExp, sources: readonly Source[]): string[] =>
  sources.flatMap(({ path, code }) =>
    code
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
const filesWith = (pattern: RegExp, sources: readonly Source[]): string[] =>
  sources.filter(({ code }) => pattern.test(code)).map(({ path }) => path);

interface Ban {
  law: string;
  pattern: RegExp;
  sources: readonly Source[];
  /** Shows that the pattern finds what it is for. */
  example: string;
}

const bans: Ban[] = [
  {
    law: 'no window has Node, loses its isolation or its sandbox',
    pattern:
      /(?:nodeIntegration\w*|webviewTag|allowRunningInsecureContent|navigateOnDragDrop|experimentalFeatures|nodeIntegrationInWorker)\W+true|(?:contextIsolation|sandbox|webSecurity)\W+false|enableBlinkFeatures|--no-sandbox|disable-web-security/,
    sources: electron,
    example: 'webPreferences: { contextIsolation: false }',
  },
  {
    law: 'nothing is started through a shell',
    pattern:
      /\bshell:\s*(?:true|['"`])|(?<![.\w])exec(?:Sync)?\(|import \{[^}]*\bexec(?:Sync)?\b[^}]*\} from 'node:child_process'/,
    sources: electron,
    example: "spawn('a', [], { shell: true })",
  },
  {
    law: 'no text becomes code, no file becomes a page',
    pattern:
      /\beval\(|new Function\(|\.executeJavaScript|\.insertCSS|\.loadFile\(|file:\/\/|setAsDefaultProtocolClient|registerFileProtocol|\bvm\./,
    sources: [...electron, ...sourcesOf('renderer')],
    example: 'window.webContents.executeJavaScript(code)',
  },
  {
    law: 'no markup is made of text in the console',
    pattern:
      /dangerouslySetInnerHTML|\.(?:inner|outer)HTML|insertAdjacentHTML|document\.write|rehype-raw|srcDoc/i,
    sources: sourcesOf('renderer'),
    example: '<p dangerouslySetInnerHTML={{ __html: text }} />',
  },
  {
    law: 'only the forms of safeStorage that do not stop the thread',
    pattern: /safeStorage\.(?:encryptString|decryptString|isEncryptionAvailable)\(|setUsePlainTextEncryption/,
    sources: electron,
    example: 'safeStorage.encryptString(text)',
  },
  {
    law: 'nothing that this engine has dropped',
    pattern: /openAsHidden|\bremote\b.*@electron|enableRemoteModule|getLastWebPreferences/,
    sources: electron,
    example: 'app.setLoginItemSettings({ openAtLogin: true, openAsHidden: true })',
  },
  {
    law: 'a page sends no message that is not checked',
    pattern:
      /ipcMain\.(?:on|once|handleOnce)\b|ipcRenderer\.(?:send|sendSync|sendToHost|postMessage)\b|sendSync/,
    sources: electron,
    example: "ipcMain.on('word', run)",
  },
  {
    law: 'a certificate that is not trusted is not let pass',
    pattern:
      /certificate-error|setCertificateVerifyProc|ignore-certificate-errors|NODE_TLS_REJECT_UNAUTHORIZED/,
    sources: everywhere,
    example: "app.on('certificate-error', accept)",
  },
  {
    law: 'no store thread is terminated: that could tear its file',
    pattern: /\.terminate\(/,
    // The console has no store, and ends a worker whose work takes too long.
    sources: everywhere.filter(({ path }) => !path.startsWith('renderer/')),
    example: 'await thread.terminate()',
  },
  {
    law: 'no window loads another address than the console’s',
    pattern: /loadURL\((?!(?:consoleOrigin \+ path|address)\))/,
    sources: electron,
    example: "window.loadURL('http://127.0.0.1:8717/app')",
  },
];

test.each(bans)('$law', ({ pattern, sources, example }) => {
  expect(sources.length).toBeGreaterThan(10);
  expect(placesOf(pattern, [{ path: 'example', code: example }])).toHaveLength(1);
  expect(placesOf(pattern, sources)).toEqual([]);
});

test.each([
  [
    'windows with pages are made',
    /new (?:BrowserWindow|WebContentsView|BrowserView)\(/,
    ['electron/windows.ts'],
  ],
  ['a window without a page is made', /new BaseWindow\(/, ['electron/session-end.ts']],
  ['the bridge is opened', /\bipc\.handle\(/, ['electron/serve-bridge.ts']],
  ['the engine’s channel is taken', /\bipcMain\b/, ['electron/compose-bridge.ts']],
  ['the page’s world is given words', /exposeInMainWorld\(/, ['electron/preload.ts']],
  ['a broker is made', /\bcreateBroker\(/, ['electron/broker-host.ts']],
  ['the keychain is spoken to', /safeStorage\./, ['electron/key/keychain.ts']],
  ['an address goes to the system’s browser', /openExternal\(/, ['electron/windows.ts']],
  [
    'other programs are started',
    /from 'node:child_process'/,
    ['electron/agents/agent-process.ts', 'electron/agents/login-path.ts', 'electron/backup/run-backup.ts'],
  ],
])('has %s in one place', (_what, pattern, places) => {
  expect(filesWith(pattern, electron).sort()).toEqual(places);
});

test('opens no file by itself except its own log', () => {
  const opened = placesOf(/shell\.(?:openPath|showItemInFolder)\(/, electron);
  expect(opened.length).toBeGreaterThan(0);
  expect(opened.filter((place) => !place.includes('shell.openPath(logPath)'))).toEqual([]);
});

test('loads a page only from the console’s origin, or from an address that was checked to be the console', () => {
  expect(placesOf(/loadURL\(address\)/, electron)).toEqual([
    "electron/windows.ts: if (target.kind === 'stay') await window.loadURL(address);",
  ]);
});

test('leaves downloads to the engine: a dialog asks where to, and nothing opens them', () => {
  expect(placesOf(/will-download|setSavePath|setDownloadPath|downloadURL\(/, electron)).toEqual([]);
});
