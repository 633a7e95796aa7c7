/** The generated guides: every operation has its page and an example, and every refusal its entry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import { refusals } from '#protocol/refusals.ts';
import { operationExamples } from '../../docs/operation-examples.ts';
import { resourceOf, resources } from '../../docs/resources.ts';

const guides = fileURLToPath(new URL('../../docs/guides/', import.meta.url));
const textOf = (name: string): string => readFileSync(join(guides, name), 'utf8');
const rows = Object.entries(operations) as [OperationId, Operation][];

/** Returns the part of a page between its heading and the next one. */
const sectionOf = (page: string, heading: string): string =>
  textOf(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

describe.each(rows)('the operation %s', (id, operation) => {
  const { params = {}, query, body, file } = operationExamples[id];

  it('has one section, with its path, its example, its reply, and its refusals', () => {
    const section = sectionOf(`http-api/${resourceOf(operation).id}.md`, id);
    expect(section).toContain(`\`${operation.method} ${operation.path}\``);
    expect(section).toMatch(/```sh\ncurl[^`]+'http:\/\/127\.0\.0\.1:8717\/[^`]+```/);
    expect(section).toContain(`Reply: ${operation.status}`);
    expect(section).toContain('Refusals: ');
    expect(section).not.toContain('undefined');
  });

  it.each([
    { part: 'path', schema: operation.params, value: params },
    { part: 'query', schema: operation.query, value: query ?? {} },
    { part: 'body', schema: operation.body, value: body },
  ])(
    'has an example whose $part fits its schema',
    ({ schema, value }: { schema: z.ZodType | undefined; value: unknown }) => {
      if (schema === undefined) expect(value ?? {}).toEqual({});
      else expect(schema.safeParse(value).error).toBeUndefined();
    },
  );

  it('has a file in its example only if it takes bytes', () => {
    expect(file !== undefined).toBe(operation.rawBody === true);
  });

  it('has an example that a POSIX shell passes on unchanged', () => {
    expect(JSON.stringify([body ?? null, params, query ?? null])).not.toContain("'");
  });
});

describe('the pages of the HTTP API', () => {
  it.each(resources.map(({ id }) => id))('have operations: %s', (id) => {
    expect(rows.some(([, operation]) => resourceOf(operation).id === id)).toBe(true);
  });

  it('name refusals that the code of the resource can answer', () => {
    expect(sectionOf('http-api/channels.md', 'Refusals of this resource')).toContain('`channel_archived`');
    expect(sectionOf('http-api/channels.md', 'Refusals of this resource')).not.toContain('`unknown_hold`');
  });
});

describe('troubleshooting', () => {
  const [, catalog = ''] = textOf('troubleshooting.md').split('\n## Refusals\n');
  const entries = catalog.split('\n### ').slice(1);

  it('has one entry for each refusal', () => {
    const reasons = entries.map((entry) => /Reason `(\w+)`/.exec(entry)?.[1]);
    expect(reasons).toEqual(Object.keys(refusals));
  });

  it('says with which status and what to do', () => {
    for (const entry of entries)
      expect(entry).toMatch(/^.+\n\nReason `\w+`, status \d{3} \(`\w+`\)\. [A-Z`].+\.\n/);
  });

  it('has a heading of its own for each', () => {
    const headings = entries.map((entry) => entry.split('\n')[0]);
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  });
});
