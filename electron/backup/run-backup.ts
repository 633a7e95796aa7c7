/** Runs `muster backup --to <folder>` as a process of its own, so that the broker's event loop stays free. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';

export interface BackupProgram {
  node: string;
  script: string;
  env: Readonly<Record<string, string>>;
}

export interface BackupOutcome {
  isDone: boolean;
  /** One sentence for the person. */
  text: string;
  /** Says in one sentence that the backup lacks something, or that something had to be mended. */
  fault?: string;
}

export interface RunningBackup {
  outcome: Promise<BackupOutcome>;
  stop(): void;
}

/** Those by which Amazon's client finds the region, the endpoint, and the credentials (specification/files.md#object-storage). */
const ofBucket = new Set(
  [
    'REGION DEFAULT_REGION ENDPOINT_URL ENDPOINT_URL_S3 IGNORE_CONFIGURED_ENDPOINT_URLS USE_FIPS_ENDPOINT USE_DUALSTACK_ENDPOINT',
    'ACCESS_KEY_ID SECRET_ACCESS_KEY SESSION_TOKEN CREDENTIAL_EXPIRATION',
    'PROFILE CONFIG_FILE SHARED_CREDENTIALS_FILE LOGIN_CACHE_DIRECTORY',
    'ROLE_ARN ROLE_SESSION_NAME WEB_IDENTITY_TOKEN_FILE',
    'CONTAINER_CREDENTIALS_RELATIVE_URI CONTAINER_CREDENTIALS_FULL_URI CONTAINER_AUTHORIZATION_TOKEN CONTAINER_AUTHORIZATION_TOKEN_FILE',
    'EC2_METADATA_DISABLED EC2_METADATA_V1_DISABLED EC2_METADATA_SERVICE_ENDPOINT EC2_METADATA_SERVICE_ENDPOINT_MODE',
  ].flatMap((names) => names.split(' ').map((name) => `AWS_${name}`)),
);

/** Returns what a backup needs of the environment to read contents in a bucket, and nothing else. */
export const bucketEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]): [string, string][] =>
      value !== undefined && ofBucket.has(name) ? [[name, value]] : [],
    ),
  );

const maxOutput = 64 * 1024;

/** The command says where the backup is only if it was made (specification/backup.md#making-one). */
function outcomeOf(code: number | null, said: string, complained: string): BackupOutcome {
  const line = complained.trim().split('\n').at(-1) ?? '';
  const text = said.trim();
  if (code === 0) return { isDone: true, text };
  if (code === 1 && text !== '') return { isDone: true, text, fault: line };
  const why = line.replace(/^muster: /, '') || 'the backup was stopped';
  return { isDone: false, text: why };
}

export function runBackup({ node, script, env }: BackupProgram, folder: string): RunningBackup {
  const child = spawn(node, [script, 'backup', '--to', folder], {
    cwd: homedir(),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let said = '';
  let complained = '';
  const { promise, resolve } = Promise.withResolvers<BackupOutcome>();
  child.on('error', (error) =>
    resolve({ isDone: false, text: `the backup cannot be started: ${error.message}` }),
  );
  // Without free file descriptors, the process has no pipes either.
  if (child.pid !== undefined) {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-maxOutput);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complained = (complained + text).slice(-maxOutput);
    });
  }
  child.on('close', (code) => resolve(outcomeOf(code, said, complained)));
  return { outcome: promise, stop: () => void child.kill() };
}
