/** docs/guides/troubleshooting.md: a part by hand, and every refusal of the catalog. */
import { readFileSync } from 'node:fs';
import { statusByCode } from '#protocol/errors.ts';
import { type Reason, type Refusal, refusals } from '#protocol/refusals.ts';

/** A name of the API, such as `query.from` or `platformUrl`, that is not to be changed. */
const startsWithName = /^\w+(?:[.:]|[A-Z])/;

const titleOf = (sentence: string): string => {
  const text = sentence.replaceAll(/"?\{(\w+)\}"?/g, '<$1>').replaceAll('<', '\\<');
  return startsWithName.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
};

const titles = Object.values<Refusal>(refusals).map(({ sentence }) => titleOf(sentence));

/** Returns the sentence of a refusal as a heading: parameters stand as their names. A sentence of two reasons names the reason, too. */
export const headingOf = (reason: Reason): string => {
  const title = titleOf(refusals[reason].sentence);
  return titles.filter((one) => one === title).length === 1 ? title : `${title} (${reason})`;
};

/** Returns the anchor of a heading, as GitHub and docs/check.ts make it. */
export const anchorOfHeading = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

const sentenceOf = (text: string): string => {
  const shown = text.replaceAll(/\{(\w+)\}/g, '<$1>').replaceAll('<', '\\<');
  return `${shown.charAt(0).toUpperCase()}${shown.slice(1)}.`;
};

const withoutRemedy: Record<number, string> = {
  401: 'Log in again, or use another token.',
  403: 'Ask a member with the right to do it, or to give you the right.',
  404: 'Check the name or the id. It may have been removed, or you may not be allowed to see it.',
  409: 'Read the current state, and decide again.',
  410: 'Use another one; this one does not come back.',
  429: 'Wait as many seconds as `Retry-After` says.',
  500: 'Read the log of the broker, and report the fault.',
  503: 'Read the log of the broker, and try again when the cause is gone.',
};

const entryOf = ([reason, { code, status, remedy }]: [string, Refusal]): string => {
  const shown = status ?? statusByCode[code];
  return `### ${headingOf(reason as Reason)}

Reason \`${reason}\`, status ${shown} (\`${code}\`). ${remedy === undefined ? (withoutRemedy[shown] ?? 'Correct the request, and send it again.') : sentenceOf(remedy)}
`;
};

/** Everything before this heading is written by hand, in the page itself. */
const start = '\n## Refusals\n';
const [byHand = ''] = readFileSync(new URL('./guides/troubleshooting.md', import.meta.url), 'utf8').split(
  start,
);

export const troubleshooting = `${byHand}${start}
<!-- Generated from broker/protocol/refusals.ts by \`npm run generate\`. Everything above is written by hand. -->

Each heading is the sentence that the broker answers. A name in angle brackets stands for a value of your request.

${Object.entries<Refusal>(refusals).map(entryOf).join('\n')}`;
