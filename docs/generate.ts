/**
 * Writes docs/generated from the code (openapi.json, access.md, errors.md, and schema.sql), the routes that clients use, and the generated
 * guides. With --check, it writes nothing and fails if a file is not up to date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { meaningByCode, statusByCode } from '#protocol/errors.ts';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import { type Refusal, refusals } from '#protocol/refusals.ts';
import { scopeRules } from '#protocol/scope-access.ts';
import { openApiDocument } from '../broker/http/openapi.ts';
import { activityMigrations } from '../broker/storage/activity.migrations.ts';
import { mainMigrations } from '../broker/storage/main.migrations.ts';
import packageJson from '../package.json' with { type: 'json' };
import { httpPages } from './http-pages.ts';
import { troubleshooting } from './troubleshooting.ts';

const folder = new URL('./generated/', import.meta.url);
const rows = Object.entries(operations) as [OperationId, Operation][];
const table = (head: string[], body: string[][]): string =>
  [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Keeps `<id>` from being read as HTML. */
const inCell = (text: string): string => text.replaceAll('<', '\\<');

const access = `# Who may call what

Generated from \`broker/protocol/operations.ts\`. Any one of the needs suffices; \`member\` is every authenticated caller.

${table(
  ['Operation', 'Path', 'Plane', 'Needs'],
  rows.map(([id, { method, path, plane, rule }]) => [
    id,
    `\`${method} ${path}\``,
    plane,
    rule.join(' or ') || '—',
  ]),
)}

## Conversations

Generated from \`broker/protocol/scope-access.ts\`, for every operation that reads or posts in a conversation.

${table(
  ['Conversation', 'To read', 'To post'],
  Object.entries(scopeRules).map(([kind, { read, post }]) => [kind, read.join(' or '), post.join(' or ')]),
)}
`;

const errors = `# Errors

Generated from \`broker/protocol/errors.ts\` and \`broker/protocol/refusals.ts\`. Every reply with a status of 400 or more is
\`{ error, message, reason, details?, errorDescription? }\` (see [the specification](../specification/api.md#errors)).

${table(
  ['Code', 'Status', 'Meaning'],
  Object.entries(statusByCode).map(([code, status]) => [
    `\`${code}\``,
    String(status),
    meaningByCode[code as keyof typeof meaningByCode],
  ]),
)}

## Reasons

A reason is stable. The message is what happened, then what to do; its text may change. \`{name}\` is a parameter.

${table(
  ['Reason', 'Code', 'Status', 'What happened', 'What to do'],
  Object.entries<Refusal>(refusals).map(([reason, { code, status, sentence, remedy }]) => [
    `\`${reason}\``,
    `\`${code}\``,
    String(status ?? statusByCode[code]),
    inCell(sentence),
    inCell(remedy ?? ''),
  ]),
)}
`;

const schema = `-- Generated from broker/storage/*.migrations.ts.

-- Main store
${mainMigrations.join('\n')}
-- Activity store
${activityMigrations.join('\n')}`;

const routes = `/**
 * The method and path of each operation. Written by \`npm run generate\` from \`operations.ts\`, without its
 * schemas, so that a command that calls one operation does not load all of them.
 */
import type { Operation } from './operation.ts';
import type { OperationId } from './operations.ts';

export interface OperationRoute extends Pick<Operation, 'method' | 'path'> {
  /** A success has no body. */
  isEmpty?: true;
}

export const operationRoutes: Record<OperationId, OperationRoute> = {
${rows
  .map(
    ([id, { method, path, reply }]) =>
      `  ${id}: { method: '${method}', path: '${path}'${reply === 'empty' ? ', isEmpty: true' : ''} },`,
  )
  .join('\n')}
};
`;

const rules = `/**
 * The access rule of each operation. Written by \`npm run generate\` from \`operations.ts\`, without its schemas, so
 * that the console knows what to offer without loading them.
 */
import type { Rule } from './access.ts';
import type { OperationId } from './operations.ts';

export const operationRules: Record<OperationId, Rule> = {
${rows.map(([id, { rule }]) => `  ${id}: [${rule.map((need) => `'${need}'`).join(', ')}],`).join('\n')}
};
`;

const contentByName: Record<string, string> = {
  '../../broker/protocol/operation-routes.ts': routes,
  '../../broker/protocol/operation-rules.ts': rules,
  'openapi.json': `${JSON.stringify(openApiDocument(Object.keys(operations) as OperationId[], packageJson.version), null, 2)}\n`,
  'access.md': access,
  'errors.md': errors,
  'schema.sql': schema,
  '../guides/troubleshooting.md': troubleshooting,
  ...Object.fromEntries(Object.entries(httpPages).map(([name, text]) => [`../guides/${name}`, text])),
};

const check = process.argv.includes('--check');
await mkdir(folder, { recursive: true });
await mkdir(new URL('../guides/http-api/', folder), { recursive: true });
const stale: string[] = [];
for (const [name, content] of Object.entries(contentByName)) {
  const file = new URL(name, folder);
  const present = await readFile(file, 'utf8').catch(() => '');
  if (present === content) continue;
  stale.push(name);
  if (!check) await writeFile(file, content);
}
if (check && stale.length > 0) {
  console.error(`generated files are not up to date (${stale.join(', ')}): run npm run generate`);
  process.exitCode = 1;
} else console.log(check ? 'docs/generated is up to date' : `docs/generated: ${stale.length} files written`);
