/**
 * The overlay that a bound platform writes beside the configuration, `<config>.platform.json`. Its `jwt`
 * block takes precedence over the configuration's (specification/platform.md).
 */
import { chmod, readFile, rm } from 'node:fs/promises';
import { z } from 'zod';
import { codeOf, codeText } from '#platform/error-text.ts';
import { orMountedFile } from '#platform/mounted-file.ts';
import { removeLeftovers, replacePrivateFile } from '#platform/private-file.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';
import { JwtBlock } from './svc-config.ts';

const Overlay = z.looseObject({ jwt: JwtBlock });
export type PlatformJwt = Pick<z.infer<typeof JwtBlock>, 'issuer' | 'audience' | 'jwksUrl'>;

export interface PlatformOverlay {
  /** Null: no platform is bound. */
  readonly jwt: PlatformJwt | null;
  /**
   * Takes effect once it is on disk; null deletes the file. @throws BrokerError unavailable, with nothing
   * changed.
   */
  write(jwt: PlatformJwt | null): Promise<void>;
}

/**
 * A write resolves after `onReplaced`, which never rejects. @throws StartUpError (78) if the file exists and cannot be used; it is left as
 * it is.
 */
export async function openPlatformOverlay(
  configPath: string,
  onReplaced: () => Promise<void> = async () => undefined,
): Promise<PlatformOverlay> {
  const path = `${configPath}.platform.json`;
  await removeLeftovers(path);
  let jwt = await load(path);
  return {
    get jwt() {
      return jwt;
    },
    async write(next) {
      const written =
        next === null
          ? rm(path, { force: true })
          : replacePrivateFile(path, `${JSON.stringify({ jwt: next }, null, 2)}\n`);
      await written.catch((error: unknown) => refuseUnwritten('platform', path, orMountedFile(error, path)));
      await onReplaced();
      jwt = next;
    },
  };
}

async function load(path: string): Promise<PlatformJwt | null> {
  const stop = (reason: string): StartUpError =>
    new StartUpError(
      `The platform file "${path}" ${reason}. The file was left as it is. Correct it, or move it to another folder and bind the platform again.`,
    );
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw stop(`cannot be read (${codeText(error)})`);
  });
  if (content === null) return null;
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch {
    throw stop('is not valid JSON');
  }
  const overlay = Overlay.safeParse(document);
  if (!overlay.success) {
    const [issue] = overlay.error.issues;
    throw stop(`is not valid: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  // The mode of a file on a read-only disk cannot be tightened, and the file holds no secret.
  if (process.platform !== 'win32') await chmod(path, 0o600).catch(() => undefined);
  const { issuer, audience, jwksUrl } = overlay.data.jwt;
  return { issuer, audience, jwksUrl };
}
