/** The tables of the log of standbys, and what is asked of them (docs/decisions/0068-one-active-broker.md). */

/** Another broker takes the lease when the active one has not confirmed it for this time. */
export const leaseMs = 3000;
/** A machine that stands by says so each second; one that did not for so long is not there. */
export const standbyLateMs = 5000;
/** The limit of one read, unless its first entry is larger. */
const readBytes = 32 * 1024 * 1024;
const readEntries = 100;
/** A page has 64 KiB at most. */
export const pagesAtOnce = 500;
/** More than a broker writes at once: whoever can write to the database must not fill the memory of a machine. */
const maxBodyBytes = 17 * 1024 * 1024;
const boundedBody = `CASE WHEN octet_length(body) <= ${maxBodyBytes} THEN body END AS body`;
/** A page is 64 KiB at most, and some bytes more when it is sealed. */
const boundedPage = 'CASE WHEN octet_length(body) <= 70000 THEN body END AS body';
const removedAtOnce = 10_000;
/** Of a machine that missed more takeovers, it cannot be said whether it has what the log has. */
const keptTerms = 1000;

/** Brokers that start together create the tables one after the other. */
export const schema = `
SELECT pg_advisory_xact_lock(hashtext('muster'));
CREATE SCHEMA IF NOT EXISTS muster;
CREATE TABLE IF NOT EXISTS muster.lease (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL, holder text NOT NULL,
  taken timestamptz);
CREATE TABLE IF NOT EXISTS muster.beat (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL, seen timestamptz NOT NULL);
INSERT INTO muster.lease (epoch, holder) VALUES (0, '') ON CONFLICT DO NOTHING;
INSERT INTO muster.beat (epoch, seen) VALUES (0, '-infinity') ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS muster.machine (
  name text PRIMARY KEY, version text NOT NULL, is_complete boolean NOT NULL, seen timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS muster.entry (
  store text NOT NULL, pos bigint NOT NULL, epoch bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY (store, pos));
ALTER TABLE muster.entry ALTER body SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS muster.file (
  name text PRIMARY KEY, version bigint NOT NULL, epoch bigint NOT NULL, body bytea NOT NULL);
CREATE TABLE IF NOT EXISTS muster.page (
  store text NOT NULL, page bigint NOT NULL, pos bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY (store, page));
ALTER TABLE muster.page ALTER body SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS page_by_pos ON muster.page (store, pos, page);
CREATE TABLE IF NOT EXISTS muster.term (
  store text NOT NULL, epoch bigint NOT NULL, pos bigint NOT NULL, PRIMARY KEY (store, epoch));
CREATE TABLE IF NOT EXISTS muster.fold (
  store text PRIMARY KEY, log_id text NOT NULL, pos bigint NOT NULL, pages bigint NOT NULL, page_bytes int NOT NULL);
CREATE TABLE IF NOT EXISTS muster.door (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL, address text NOT NULL);
ALTER TABLE muster.machine ADD COLUMN IF NOT EXISTS addresses text[];
`;

/** Waits for a takeover that is under way; after it, no row has an older epoch. `epoch`: a parameter. */
const held = (epoch: string): string => `SELECT 1 FROM muster.lease WHERE epoch = ${epoch} FOR SHARE`;
const countHeld = '(SELECT count(*) FROM held) AS held';
const endOfLog = `greatest(pos, (SELECT max(pos) FROM muster.entry WHERE entry.store = fold.store))`;
/** The epoch in which what is at a position was written. */
const epochAt = (store: string, pos: string): string =>
  `(SELECT max(epoch) FROM muster.term WHERE term.store = ${store} AND term.pos < ${pos})`;
export const statements = {
  // The last of the schema.
  isPrepared: `SELECT EXISTS (SELECT 1 FROM pg_attribute
    WHERE attrelid = to_regclass('muster.machine') AND attname = 'addresses' AND NOT attisdropped) AS is`,
  canPrepare: `SELECT NOT pg_is_in_recovery() AND (to_regnamespace('muster') IS NOT NULL
    OR has_database_privilege(current_database(), 'CREATE')) AS is`,
  append: `WITH held AS (${held('$3')}), follows AS (SELECT ($2 = 1
        OR EXISTS (SELECT 1 FROM muster.entry WHERE store = $1 AND pos = $2 - 1)
        OR EXISTS (SELECT 1 FROM muster.fold WHERE store = $1 AND pos >= $2 - 1))
      AND NOT EXISTS (SELECT 1 FROM muster.entry WHERE store = $1 AND pos = $2 AND epoch <> $3) AS is), added AS (
      INSERT INTO muster.entry SELECT $1, $2, $3, $4 FROM held, follows WHERE follows.is ON CONFLICT DO NOTHING)
    SELECT ${countHeld}, (SELECT follows.is FROM follows) AS follows, pg_notify('muster', '')`,
  held: `WITH held AS (${held('$1')}) SELECT ${countHeld}`,
  removeLog: 'DELETE FROM muster.fold WHERE store = $1',
  removeEntries: `DELETE FROM muster.entry WHERE store = $1 AND pos IN (
    SELECT pos FROM muster.entry WHERE store = $1 LIMIT ${removedAtOnce}) RETURNING 1`,
  removePages: `DELETE FROM muster.page WHERE store = $1 AND page IN (
    SELECT page FROM muster.page WHERE store = $1 LIMIT ${removedAtOnce}) RETURNING 1`,
  addLog: 'INSERT INTO muster.fold VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
  tell: "SELECT pg_notify('muster', '')",
  // In which epochs it was written; `holds` of a machine's position relies on it.
  beginTerm:
    'INSERT INTO muster.term VALUES ($1, $2, $3) ON CONFLICT (store, epoch) DO UPDATE SET pos = excluded.pos',
  beginTerms: `INSERT INTO muster.term SELECT store, $1, ${endOfLog} FROM muster.fold`,
  forgetTerms: `DELETE FROM muster.term WHERE epoch < (
    SELECT min(epoch) FROM (SELECT DISTINCT epoch FROM muster.term ORDER BY epoch DESC LIMIT ${keptTerms}) AS newest)`,
  holds: `SELECT EXISTS (SELECT 1 FROM muster.term WHERE store = $1 AND epoch = $2 AND pos < $3)
    AND NOT EXISTS (SELECT 1 FROM muster.term WHERE store = $1 AND epoch > $2 AND pos < $3) AS is`,
  logs: `SELECT store, log_id, pages, folded, pos, ${epochAt('log.store', 'log.pos')} AS epoch FROM (
      SELECT store, log_id, pages, pos AS folded, ${endOfLog} AS pos FROM muster.fold) AS log`,
  folded: `SELECT log_id, pos, ${epochAt('fold.store', 'fold.pos')} AS epoch, pages, page_bytes
    FROM muster.fold WHERE store = $1`,
  firstPage: `SELECT pos, ${boundedPage} FROM muster.page WHERE store = $1 AND page = 1`,
  pages: `SELECT page, pos, ${boundedPage} FROM muster.page WHERE store = $1 AND (pos, page) > ($2, $3)
    ORDER BY pos, page LIMIT ${pagesAtOnce}`,
  putPages: `INSERT INTO muster.page SELECT $1, page, $2, body FROM unnest($3::bigint[], $4::bytea[]) AS added (page, body)
    ON CONFLICT (store, page) DO UPDATE SET pos = excluded.pos, body = excluded.body`,
  moveFold:
    'UPDATE muster.fold SET pos = $4, pages = $5 WHERE store = $1 AND log_id = $2 AND pos = $3 RETURNING 1',
  cutPages: 'DELETE FROM muster.page WHERE store = $1 AND page > $2',
  cutEntries: 'DELETE FROM muster.entry WHERE store = $1 AND pos <= $2',
  entries: `SELECT pos, epoch, ${boundedBody} FROM (
      SELECT pos, epoch, body, sum(octet_length(body)) OVER (ORDER BY pos) - octet_length(body) AS before FROM (
        SELECT pos, epoch, body FROM muster.entry WHERE store = $1 AND pos > $2 ORDER BY pos LIMIT ${readEntries}) AS next
    ) AS summed WHERE before < ${readBytes} ORDER BY pos`,
  putFile: `WITH held AS (${held('$3')}), put AS (
      INSERT INTO muster.file SELECT $1, $2, $3, $4 FROM held
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, epoch = excluded.epoch, body = excluded.body)
    SELECT ${countHeld}, pg_notify('muster', '')`,
  files: `SELECT name, version, epoch, ${boundedBody} FROM muster.file WHERE version > $1 ORDER BY version, name`,
  lease: 'SELECT epoch FROM muster.lease FOR UPDATE',
  // The clock of the database was set back, or somebody wrote it: the time of the lease begins now.
  endFuture: 'UPDATE muster.beat SET seen = clock_timestamp() WHERE seen > clock_timestamp()',
  // Locked, so that the active broker cannot confirm its lease between this and the takeover.
  isFree: `SELECT seen < clock_timestamp() - interval '${leaseMs} ms' AS free FROM muster.beat FOR UPDATE`,
  takeLease: 'UPDATE muster.lease SET epoch = $1, holder = $2, taken = clock_timestamp()',
  takeBeat: 'UPDATE muster.beat SET epoch = $1, seen = clock_timestamp()',
  confirm: 'UPDATE muster.beat SET seen = clock_timestamp() WHERE epoch = $1 RETURNING 1',
  release: `WITH freed AS (UPDATE muster.beat SET seen = '-infinity' WHERE epoch = $1) SELECT pg_notify('muster', '')`,
};
