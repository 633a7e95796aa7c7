/**
 * The files of the https block, whose paths start at the configuration's folder
 * (specification/configuration.md#listening).
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeText } from '#platform/error-text.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import type { ConfigStore } from './config-store.ts';

export interface HttpsFiles {
  host: string | undefined;
  port: number;
  /** PEM. */
  certificate: string;
  key: string;
}

/**
 * Returns where the files are that the broker creates for itself: absolute paths in `tls/` beside the
 * configuration.
 */
export function tlsFiles(configPath: string) {
  const folder = join(dirname(resolve(configPath)), 'tls');
  return {
    folder,
    certificate: join(folder, 'server.crt'),
    key: join(folder, 'server.key'),
    authority: join(folder, 'ca.crt'),
    authorityKey: join(folder, 'ca.key'),
  };
}

/** Whether the block names the files that the broker created, which it may then issue again. */
export function isOwnBlock(config: ConfigStore): boolean {
  const block = config.current?.https;
  const { certificate, key } = tlsFiles(config.path);
  return (
    block !== undefined &&
    resolve(config.resolvePath(block.cert)) === certificate &&
    resolve(config.resolvePath(block.key)) === key
  );
}

/**
 * Returns null without the block, because HTTPS is off then. @throws StartUpError if a file cannot be read.
 */
export async function httpsOptions(config: ConfigStore): Promise<HttpsFiles | null> {
  const block = config.current?.https;
  if (block === undefined) return null;
  const read = async (name: string, written: string): Promise<string> => {
    const path = config.resolvePath(written);
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw new StartUpError(
        `https.${name} "${path}" cannot be read (${codeText(error)}). Correct the path in "${config.path}", or create new files with "${svcCommand} setup --https".`,
      );
    }
  };
  const [certificate, key] = [await read('cert', block.cert), await read('key', block.key)];
  return { host: config.current?.listen?.httpsHost, port: block.port, certificate, key };
}
