/** `muster doctor --full`: whether everything that a broker keeps is as it should be (specification/backup.md#checks). */
import { codeOf, codeText } from '#platform/error-text.ts';
import { type BackupStep, configName } from './backup-format.ts';
import { type BrokerPlace, parseConfig, readSmallFiles, refuseMissing } from './broker-files.ts';
import { type CheckedStores, checkStores } from './checked-stores.sqlite.ts';
import { withContents } from './kept-contents.ts';

export interface CheckedBroker {
  /** Rows by table. */
  counts: Record<string, number>;
  /** A sentence per fault of the stores; none if they are as they should be. */
  storeFaults: string[];
  /** The contents of files, null if they are not known, and a sentence per content that is missing or damaged. */
  blobs: number | null;
  blobFaults: string[];
}

/** Checks both stores. If SQLite cannot read a store at all, that is a fault of the stores. */
function readStores({ mainPath, activityPath }: BrokerPlace): CheckedStores {
  try {
    return checkStores({ main: mainPath, activity: activityPath });
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (!code.startsWith('SQLITE_')) throw error;
    return { counts: {}, faults: [`the stores cannot be read (${code})`], blobs: null };
  }
}

/** Reads everything, beside a running broker if there is one. @throws BackupError if a file cannot be read. */
export async function checkBroker(
  place: BrokerPlace,
  onProgress: (step: BackupStep) => void,
): Promise<CheckedBroker> {
  await refuseMissing(place);
  const content = (await readSmallFiles(place.configPath)).get(configName) ?? Buffer.of();
  const { files } = parseConfig(content, place.configPath);
  return withContents(place.configPath, files?.root, async (contents) => {
    const { counts, faults, blobs } = readStores(place);
    if (blobs === null) return { counts, storeFaults: faults, blobs, blobFaults: [] };
    const blobFaults: string[] = [];
    for (const [index, { hash, paths }] of blobs.entries()) {
      onProgress({ what: 'files', unit: 'files', done: index, total: blobs.length });
      const found = await contents.hashOf(hash).catch((error: unknown) => codeText(error));
      if (found === hash) continue;
      const why = /^[0-9a-f]{64}$/.test(found) ? 'is damaged' : `cannot be read (${found})`;
      blobFaults.push(`the content of ${paths} ${why}`);
    }
    return { counts, storeFaults: faults, blobs: blobs.length, blobFaults };
  });
}
