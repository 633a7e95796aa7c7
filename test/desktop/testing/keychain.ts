/**
 * Whether a spec can have an app with a keychain that protects the key, and one without. The stand-in has what the spec
 * chooses. The real engine has that of the system: on Windows always one, on Linux none, because real-app.ts asks for the
 * plain store. On macOS, a home in a folder has no keychain of its own, and what the engine does then is not certain.
 */
import process from 'node:process';

const isReal = process.env.ELECTRON_BIN !== undefined;

export const canHaveKeychain = !isReal || process.platform === 'win32';
export const canLackKeychain = !isReal || process.platform === 'linux';
