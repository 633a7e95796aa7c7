/**
 * A program that behaves like `codex app-server` and acts on the text of a message, for tests of the adapter
 * without Codex.
 */
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { splitLines } from '../../../process/line-splitter.ts';

interface Line {
  id?: number | string;
  method?: string;
  params?: {
    threadId?: string;
    input?: { text: string }[];
    clientUserMessageId?: string;
    expectedTurnId?: string;
  };
  result?: { decision?: unknown };
}

let turns = 0;
let active: string | null = null;
const threadId = 't1';

const send = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
const note = (method: string, params: object) => send({ method, params: { threadId, ...params } });
const say = (text: string) => note('item/completed', { item: { type: 'agentMessage', id: 'i', text } });

function echo(clientId: string | undefined): void {
  note('item/started', { item: { type: 'userMessage', id: 'u', clientId: clientId ?? null, content: [] } });
}

function finish(error: { message: string; codexErrorInfo: object } | null = null): void {
  const status = error === null ? 'completed' : 'failed';
  note('turn/completed', { turn: { id: active, status, error } });
  active = null;
}

function begin(id: Line['id'], text: string, clientId: string | undefined): void {
  if (text.includes('refuse')) {
    send({ id, error: { code: -1, message: 'not now' } });
    return;
  }
  active = `turn-${++turns}`;
  send({ id, result: { turn: { id: active, status: 'inProgress', error: null } } });
  note('turn/started', { turn: { id: active, status: 'inProgress', error: null } });
  echo(clientId);
  if (text.includes('command'))
    note('item/started', { item: { type: 'commandExecution', id: 'c2', command: 'tail -f log' } });
  if (text.includes('other thread'))
    send({ method: 'turn/completed', params: { threadId: 't2', turn: { id: active, status: 'completed' } } });
  if (text.includes('ask')) send({ id: 'r1', method: 'item/commandExecution/requestApproval', params: {} });
  else if (!text.includes('long')) {
    say('one\u2028still one\ntwo');
    finish();
  }
}

function steer(id: Line['id'], text: string, { params }: Line): void {
  if (active === null || params?.expectedTurnId !== active || text.includes('ended meanwhile')) {
    if (active !== null) finish();
    send({ id, error: { code: -1, message: 'no active turn' } });
    return;
  }
  send({ id, result: { turnId: active } });
  if (text.includes('dropped')) {
    const codexErrorInfo = { responseStreamDisconnected: { httpStatusCode: 503 } };
    const additionalDetails = 'unexpected status 503';
    note('error', { willRetry: true, error: { message: 'Reconnecting', codexErrorInfo, additionalDetails } });
    finish({
      message: 'the model is not reachable',
      codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 503 } },
    });
    return;
  }
  echo(params.clientUserMessageId);
  finish();
}

function handleLine(text: string): void {
  if (process.env.RECORD) appendFileSync(process.env.RECORD, `${text}\n`);
  const line = JSON.parse(text) as Line;
  const said = line.params?.input?.[0]?.text ?? '';
  if (line.method === 'initialize') send({ id: line.id, result: { userAgent: 'small' } });
  else if (line.method === 'thread/start') send({ id: line.id, result: { thread: { id: threadId } } });
  else if (line.method === 'thread/resume') {
    if (line.params?.threadId === 'gone') send({ id: line.id, error: { code: -1, message: 'no rollout' } });
    else send({ id: line.id, result: { thread: { id: threadId } } });
  } else if (line.method === 'turn/interrupt') {
    send({ id: line.id, result: {} });
    note('turn/completed', { turn: { id: active, status: 'interrupted', error: null } });
    active = null;
  } else if (line.method === 'thread/backgroundTerminals/list') {
    const terminalOf = (item: string) => ({
      itemId: item,
      processId: `process of ${item}`,
      command: '',
      cwd: '/',
    });
    if (process.env.NO_TERMINALS) send({ id: line.id, error: { code: -32_601, message: 'unknown method' } });
    else send({ id: line.id, result: { data: [terminalOf('c1'), terminalOf('c2')], nextCursor: null } });
  } else if (line.method === 'thread/backgroundTerminals/terminate')
    send({ id: line.id, result: { terminated: true } });
  else if (line.method === 'turn/start') begin(line.id, said, line.params?.clientUserMessageId);
  else if (line.method === 'turn/steer') steer(line.id, said, line);
  else if (line.id === 'r1') {
    say(`answered ${JSON.stringify(line.result)}`);
    finish();
  }
}

if (process.argv.includes('--version')) console.log('codex-cli 9.9.9');
else if (process.argv.includes('--broken')) {
  console.error('the configuration is not understood');
  process.exitCode = 2;
} else {
  process.stdout.write('a line that is no JSON\n');
  process.stdin.on('data', splitLines(handleLine));
}
