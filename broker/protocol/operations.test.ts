import { describe, expect, it } from 'vitest';
import { type Operation, operations } from './operations.ts';

/** The operations of the specification, written by hand: method, path, and auth column. */
const specified = `
GET /healthz none
GET /briefing dual
GET /roster dual
POST /push dual
GET /subscribe dual
GET /history dual
GET /history/window dual
PATCH /messages/:id dual
DELETE /messages/:id dual
POST /session/totp none
GET /session dual
POST /session/logout dual
GET /members dual
POST /members dual
PATCH /members/:name dual
DELETE /members/:name dual
POST /members/:name/rotate-token dual
GET /members/:name/tokens dual
DELETE /members/:name/tokens/:id dual
GET /devices dual
POST /members/:name/enroll-totp dual
POST /members/:name/activity dual
GET /members/:name/activity dual
GET /members/:name/activity/stream dual
GET /members/:name/activity/:id dual
GET /members/:name/activity/summaries dual
GET /members/:name/activity/transcript dual
GET /activity dual
GET /activity/stream dual
GET /activity/usage dual
GET /attention dual
POST /attention dual
DELETE /attention dual
GET /member-kinds dual
PATCH /members/:name/kind dual
GET /objectives dual
POST /objectives dual
GET /objectives/:id dual
PATCH /objectives/:id dual
POST /objectives/:id/complete dual
POST /objectives/:id/cancel dual
POST /objectives/:id/reassign dual
POST /objectives/:id/discuss dual
PATCH /objectives/:id/watchers dual
GET /channels dual
POST /channels dual
GET /channels/:slug dual
PATCH /channels/:slug dual
DELETE /channels/:slug dual
POST /channels/:slug/members dual
DELETE /channels/:slug/members/:name dual
GET /fs/ls dual
GET /fs/stat dual
GET /fs/read/* dual
POST /fs/write dual
POST /fs/mkdir dual
DELETE /fs/rm dual
POST /fs/mv dual
GET /fs/shared dual
POST /presence/busy bearer
POST /presence/model bearer
GET /push/vapid-public-key none
POST /push/subscriptions dual
DELETE /push/subscriptions/:id dual
POST /enroll none
POST /enroll/poll none
GET /enroll/pending dual
POST /enroll/approve dual
POST /enroll/reject dual
POST /platform-connect/bind session
GET /platform-connect/lookup none
GET /team dual
PATCH /team dual
POST /setup none
GET /enroll/history dual
GET /fs/grants dual
GET /search dual
GET /unread dual
GET /unread/marks dual
POST /messages/read dual
POST /messages/unread dual
GET /messages/waiting bearer
POST /messages/:id/receipt bearer
GET /messages/:id/receipts dual
GET /diagnostics dual
GET /openapi.json dual
GET /runs dual
POST /runs dual
POST /runs/:id/renew dual
DELETE /runs/:id dual
GET /held dual
POST /held/:id/release dual
DELETE /held/:id dual
GET /audit dual
POST /members/:name/run-tokens dual
POST /members/:name/stop-run dual
POST /members/:name/interrupt-run dual
GET /push/subscriptions dual
GET /session/failures dual
GET /sessions dual
DELETE /sessions/:id dual
DELETE /sessions dual
GET /retention dual
PATCH /retention dual
POST /retention/run dual
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

const rows: [string, Operation][] = Object.entries(operations);

describe('the contract table', () => {
  it('has no operation that the specification does not have', () => {
    const known = new Set(specified.map(([method, path]) => `${method} ${path}`));
    expect(
      rows.map(([, { method, path }]) => `${method} ${path}`).filter((endpoint) => !known.has(endpoint)),
    ).toEqual([]);
  });

  it('has every endpoint that the specification has', () => {
    const present = new Set(rows.map(([, { method, path }]) => `${method} ${path}`));
    expect(
      specified.map(([method, path]) => `${method} ${path}`).filter((endpoint) => !present.has(endpoint)),
    ).toEqual([]);
  });

  it.each(rows)('%s accepts the credentials that the specification says', (_, { method, path, plane }) => {
    expect(specified.find(([m, p]) => m === method && p === path)?.[2]).toBe(plane);
  });

  it('needs no credential only where the specification says so', () => {
    expect(rows.filter(([, { plane, rule }]) => plane !== 'none' && rule.length === 0)).toEqual([]);
  });

  it('says where `self` is read from wherever a rule has it', () => {
    for (const [id, { rule, self }] of rows) expect(rule.includes('self'), id).toBe(self !== undefined);
  });
});
