/**
 * Loads the packed updater in a Node with as much of the engine as its constructors read, and prints the name of its
 * class. Usage: `node load-updater.ts <folder of the built main file>`
 */
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const engine = `
const { EventEmitter } = require('node:events');
const app = { getVersion: () => '1.2.3', getName: () => 'Muster', getAppPath: () => '', isPackaged: true, whenReady: async () => {} };
module.exports = { app, autoUpdater: new EventEmitter(), session: { fromPartition: () => ({}) }, net: {} };`;

registerHooks({
  resolve: (name, context, next) =>
    name === 'electron' ? { url: 'engine:main', shortCircuit: true } : next(name, context),
  load: (url, context, next) =>
    url === 'engine:main' ? { format: 'commonjs', source: engine, shortCircuit: true } : next(url, context),
});

const chunks = join(process.argv[2] ?? '', 'chunks');
const chunk = readdirSync(chunks).find((name) =>
  readFileSync(join(chunks, name), 'utf8').includes('node_modules/electron-updater/'),
);
const { default: updater } = (await import(pathToFileURL(join(chunks, chunk ?? '')).href)) as {
  default: { autoUpdater: object };
};
console.log(updater.autoUpdater.constructor.name);
