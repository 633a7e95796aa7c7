/** The pages of docs/guides/http-api, generated from the contract table. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { type ErrorCode, statusByCode } from '#protocol/errors.ts';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import { type Reason, type Refusal, refusals } from '#protocol/refusals.ts';
import { sessionCookie } from '#protocol/session.ts';
import { setupKeyHeader } from '#protocol/vocabulary.ts';
import { toJsonSchema } from '../broker/http/json-schema.ts';
import { operationExamples } from './operation-examples.ts';
import { type Resource, resourceOf, resources } from './resources.ts';
import { parameterText, schemaText } from './schema-text.ts';
import { anchorOfHeading, headingOf } from './troubleshooting.ts';

type Json = Record<string, unknown>;

const base = 'http://127.0.0.1:8717';
const rows = Object.entries(operations) as [OperationId, Operation][];

/** Returns the path and query of the example, as curl needs them. */
function exampleAddress(id: OperationId, { path }: Operation): string {
  const { params = {}, query } = operationExamples[id];
  const filled = path.replaceAll(
    /:(\w+)|\*/g,
    (whole, name: string | undefined) => params[name ?? whole] ?? whole,
  );
  return `${base}${filled}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`;
}

/** Returns a command of a POSIX shell that calls the operation. */
function curlOf(id: OperationId, operation: Operation): string {
  const { body, file } = operationExamples[id];
  const { method, plane, reply } = operation;
  const needsSetupKey = id === 'setUp' || id === 'proposeAuthenticator';
  const parts = [
    `curl${reply === 'stream' ? ' -N' : ''}${method === 'GET' || (method === 'POST' && (body ?? file) !== undefined) ? '' : ` -X ${method}`}`,
    plane === 'session'
      ? `-H "Cookie: ${sessionCookie}=$SVC_SESSION"`
      : plane === 'none'
        ? ''
        : '-H "Authorization: Bearer $SVC_TOKEN"',
    needsSetupKey ? `-H "${setupKeyHeader}: $SETUP_KEY"` : '',
    file === undefined ? '' : `--data-binary @${file} -H 'Content-Type: application/octet-stream'`,
    body === undefined ? '' : `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
    `'${exampleAddress(id, operation)}'`,
  ];
  return parts.filter((part) => part !== '').join(' \\\n  ');
}

function parameterRows(schema: z.ZodType, where: string): string[] {
  const { $defs, ...json } = toJsonSchema(schema, 'input');
  const definitions = ($defs ?? {}) as Json;
  const required = (json.required ?? []) as string[];
  return Object.entries((json.properties ?? {}) as Record<string, Json>).map(
    ([name, value]) =>
      `| \`${name}\` | ${where} | ${where === 'path' || required.includes(name) ? 'yes' : 'no'} | ${parameterText(value, definitions)} |`,
  );
}

function parametersOf({ params, query }: Operation): string {
  const found = [
    ...(params === undefined ? [] : parameterRows(params, 'path')),
    ...(query === undefined ? [] : parameterRows(query, 'query')),
  ];
  if (found.length === 0) return '';
  return `\n| Parameter | In | Required | Type |\n| --- | --- | --- | --- |\n${found.join('\n')}\n`;
}

function shapeOf(schema: z.ZodType, io: 'input' | 'output'): string {
  const { $defs, ...json } = toJsonSchema(schema, io);
  return `\`\`\`ts\n${schemaText(json, ($defs ?? {}) as Json)}\n\`\`\`\n`;
}

function bodyOf({ body, rawBody }: Operation): string {
  if (rawBody === true) return '\nThe body is the bytes of the file, of any content type.\n';
  return body === undefined ? '' : `\nBody:\n\n${shapeOf(body, 'input')}`;
}

function replyOf({ reply, status, etag }: Operation): string {
  const tag = etag ? ' The reply has an `ETag`, and a request whose `If-None-Match` names it gets 304.' : '';
  if (reply === 'empty') return `\nReply: ${status}, without a body.\n`;
  if (reply === 'stream') return `\nReply: ${status}, a stream of server-sent events.\n`;
  if (reply === 'bytes') return `\nReply: ${status}, the bytes of the file.\n`;
  return `\nReply: ${status}.${tag}\n\n${shapeOf(reply, 'output')}`;
}

const textOfRelation: Partial<Record<string, string>> = {
  self: 'the member itself',
  assignee: 'its assignee',
  originator: 'its originator',
  'thread member': 'a member of its thread',
  'channel admin': 'an admin of the channel',
  'channel member': 'a member of the channel',
  participant: 'a participant of the conversation',
  sender: 'its sender',
  recipient: 'its recipient',
  owner: 'its owner',
  reader: 'its reader',
};

const callersOf = (rule: Operation['rule']): string => {
  if (rule.length === 0) return 'Anybody may call it, without a credential.';
  if (rule.includes('member')) return 'Every member may call it.';
  const callers = rule.map((need) => textOfRelation[need] ?? `a member with \`${need}\``).join(' or ');
  return `It is for ${callers}.`;
};

const textOfPlane: Record<Operation['plane'], string> = {
  none: '',
  dual: '',
  bearer: 'It accepts a bearer token only.',
  session: 'It accepts a session only.',
};

function accessOf({ plane, rule, makesCredential, beforeSetup }: Operation): string {
  const sentences = [
    callersOf(rule),
    textOfPlane[plane],
    makesCredential ? 'The token of a run may not call it, because it creates a credential.' : '',
    beforeSetup ? 'The broker also answers it before the setup.' : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** Refusals that follow from the row itself. Each operation may also answer those of every request. */
function ownReasonsOf({ plane, rule, params, query, body, rawBody }: Operation): Reason[] {
  const isLeafNeeded = rule.length > 0 && !rule.includes('member');
  return [
    ...((params ?? query ?? body) ? (['invalid_request'] as const) : []),
    ...(body === undefined ? [] : (['invalid_json', 'wrong_content_type'] as const)),
    ...((body ?? rawBody) === undefined ? [] : (['body_too_large'] as const)),
    ...(plane === 'none' ? [] : (['unauthenticated'] as const)),
    ...(plane === 'bearer'
      ? (['bearer_only'] as const)
      : plane === 'session'
        ? (['session_only'] as const)
        : []),
    ...(isLeafNeeded ? (['missing_right'] as const) : []),
  ];
}

const linkTo = (reason: Reason): string => {
  const { code }: Refusal = refusals[reason];
  const status = (refusals[reason] as Refusal).status ?? statusByCode[code as ErrorCode];
  return `[\`${reason}\`](../troubleshooting.md#${anchorOfHeading(headingOf(reason))}) (${status})`;
};

const featuresFolder = fileURLToPath(new URL('../broker/features/', import.meta.url));

/** Returns the reasons that the code of a resource names, in the order of the catalog. */
function reasonsOf({ features }: Resource): Reason[] {
  const code = features
    .flatMap((feature) =>
      readdirSync(join(featuresFolder, feature))
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => readFileSync(join(featuresFolder, feature, file), 'utf8')),
    )
    .join('\n');
  return (Object.keys(refusals) as Reason[]).filter((reason) => code.includes(`'${reason}'`));
}

const operationText = ([id, operation]: [OperationId, Operation]): string => `## ${id}

\`${operation.method} ${operation.path}\`

${operation.summary} ${accessOf(operation)}
${parametersOf(operation)}${bodyOf(operation)}
\`\`\`sh
${curlOf(id, operation)}
\`\`\`
${replyOf(operation)}
Refusals: ${ownReasonsOf(operation).map(linkTo).join(', ') || 'only those of every request'}.
`;

function pageOf(resource: Resource): string {
  const own = rows.filter(([, operation]) => resourceOf(operation) === resource);
  const reasons = reasonsOf(resource);
  return `# ${resource.title}

<!-- Generated from broker/protocol/operations.ts by \`npm run generate\`. -->

${resource.about} [The overview](index.md) explains the token, errors, and PowerShell.

${own.map(operationText).join('\n')}${
  reasons.length === 0
    ? ''
    : `\n## Refusals of this resource\n\nThe code of this resource can refuse a request for these reasons:\n\n${reasons.map((reason) => `- ${linkTo(reason)}`).join('\n')}\n`
}`;
}

const overview = `# HTTP API

<!-- Generated from broker/protocol/operations.ts by \`npm run generate\`. -->

Each page describes the operations of one resource. A running broker serves the same contract as an OpenAPI document at
\`/openapi.json\` to every member.

| Page | Contents | Operations |
| --- | --- | --- |
${resources
  .map(
    (resource) =>
      `| [${resource.title}](${resource.id}.md) | ${resource.about} | ${rows.filter(([, operation]) => resourceOf(operation) === resource).length} |`,
  )
  .join('\n')}

## Calling it

The examples are for a POSIX shell. They read the token from a variable:

\`\`\`sh
export SVC_TOKEN=<the token that setup showed>
curl -H "Authorization: Bearer $SVC_TOKEN" '${base}/roster'
\`\`\`

In PowerShell, set the variable in another way and call \`curl.exe\`. PowerShell 7.3 and newer passes the JSON in single quotes as it is:

\`\`\`powershell
$env:SVC_TOKEN = '<the token that setup showed>'
curl.exe -H "Authorization: Bearer $env:SVC_TOKEN" '${base}/roster'
curl.exe -H "Authorization: Bearer $env:SVC_TOKEN" -H 'Content-Type: application/json' -d '{"body":"hello"}' '${base}/push'
\`\`\`

For the operations of the setup, \`SETUP_KEY\` is the key in the setup link that the broker prints. For those that accept a session only, \`SVC_SESSION\` is
the value of the cookie.

## Errors

Every reply with a status of 400 or more is \`{ error, message, reason, details?, errorDescription? }\`. Compare the reason and never the message.
[Troubleshooting](../troubleshooting.md) lists every reason. Each operation names the refusals that follow from its contract, and each page ends with those
that the code of its resource names. Every request can also be refused for the state of the broker (503), for its headers, and for its rate (429).

## Repeating a request

\`POST /push\`, \`/objectives\`, and \`/objectives/:id/discuss\` take an \`Idempotency-Key\`. Repeat such a request with the same key if you do not get the answer.
[The specification](../../specification/api.md) says how long the answer is kept.
`;

/** The pages by their paths below docs/guides. */
export const httpPages: Readonly<Record<string, string>> = {
  'http-api/index.md': overview,
  ...Object.fromEntries(resources.map((resource) => [`http-api/${resource.id}.md`, pageOf(resource)])),
};
