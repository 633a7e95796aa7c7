/** The https block's files (specification "Team configuration file"): paths start at the configuration's folder. */
import { readFile } from 'node:fs/promises';
import { StartUpError } from '../runtime/start-up-error.ts';
import { errorCode } from './atomic-file.ts';
import type { ConfigStore } from './config-store.ts';

export interface HttpsFiles {
  host: string | undefined;
  port: number;
  /** PEM. */
  certificate: string;
  key: string;
}

/** Null without the block: HTTPS is off. @throws StartUpError when a file cannot be read. */
export async function httpsOptions(config: ConfigStore): Promise<HttpsFiles | null> {
  const block = config.current?.https;
  if (block === undefined) return null;
  const read = async (name: string, written: string): Promise<string> => {
    const path = config.resolvePath(written);
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw new StartUpError(
        `https.${name} ${path} cannot be read (${errorCode(error)}): correct the path in ${config.path}, or make new files with "npx svc setup --https"`,
      );
    }
  };
  const [certificate, key] = [await read('cert', block.cert), await read('key', block.key)];
  return { host: config.current?.listen?.httpsHost, port: block.port, certificate, key };
}
