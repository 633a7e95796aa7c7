/** The addresses in the configuration that a machine copied, as far as it is here already. */
import { readFile } from 'node:fs/promises';
import { WrittenConfig } from '../config/svc-config.ts';

export type CopiedAddresses = Partial<Pick<WrittenConfig, 'listen' | 'https'>>;

let lastText = '';
let last: CopiedAddresses = {};

/** Leaves out a block that is not there, or that is not valid. */
export async function readAddresses(configPath: string): Promise<CopiedAddresses> {
  const text = await readFile(configPath, 'utf8').catch(() => '');
  if (text === lastText) return last;
  lastText = text;
  last = parsed(text);
  return last;
}

function parsed(text: string): CopiedAddresses {
  try {
    const { listen, https } = JSON.parse(text);
    return {
      listen: WrittenConfig.shape.listen.safeParse(listen).data,
      https: WrittenConfig.shape.https.safeParse(https).data,
    };
  } catch {
    return {};
  }
}
