/** The corpus by which masking is measured: samples with secrets, and samples without any. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Sample {
  text: string;
  /** The texts that the masked text must not contain; empty for a sample without secrets. */
  secrets: readonly string[];
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const capitals = letters.toUpperCase();
const alphabets: Readonly<Record<string, string>> = {
  b62: capitals + letters + digits,
  b64: `${capitals}${letters}${digits}+/`,
  url: `${capitals}${letters}${digits}-_`,
  hex: `${digits}abcdef`,
  up: `${capitals}234567`,
  dig: digits,
};

/** Returns the same characters for the same seed. The first and the last are letters or digits. */
function invented(kind: string, length: number, seed: string): string {
  const alphabet = alphabets[kind];
  if (alphabet === undefined) throw new Error(`the corpus has no alphabet "${kind}"`);
  const bytes: number[] = [];
  for (let round = 0; bytes.length < length; round += 1)
    bytes.push(...createHash('sha256').update(`${seed} ${round}`).digest());
  return bytes
    .slice(0, length)
    .map(
      (byte, at) =>
        alphabet[byte % (at === 0 || at === length - 1 ? Math.min(alphabet.length, 62) : alphabet.length)],
    )
    .join('');
}

function sampleOf(line: string): Sample {
  const [marked = '', ...others] = line.replaceAll('·', '').replaceAll('⏎', '\n').split('⇥');
  const secrets: string[] = [...others];
  const text = marked.replaceAll(/⟦([^⟧]*)⟧/g, (_, inside: string, at: number) => {
    const [prefix = '', spec] = inside.split('|');
    const [kind = '', length] = spec?.split(':') ?? [];
    const value = inside.startsWith('=')
      ? inside.slice(1)
      : prefix + invented(kind, Number(length), `${at} ${line}`);
    secrets.push(value);
    return value;
  });
  return { text, secrets };
}

const samplesIn = (name: string): Sample[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('%%'))
    .map(sampleOf);

export const samplesWithSecrets = (): Sample[] => samplesIn('./secrets.corpus.txt');

export const samplesWithoutSecrets = (): Sample[] =>
  samplesIn('./not-secrets.corpus.txt').map(({ text }) => ({ text, secrets: [] }));

/** Nobody wrote rules from these. */
export const unseenSamples = (): { positive: Sample[]; negative: Sample[] } => ({
  positive: samplesIn('./unseen-secrets.corpus.txt'),
  negative: samplesIn('./unseen-not-secrets.corpus.txt'),
});
