/**
 * The name of a segment file says everything about it except its events: how old it is, up to where it is
 * uploaded, and whose it is. Moving the mark and taking over are each one rename, so neither is ever half
 * done.
 */
export interface SegmentName {
  /**
   * When it was begun, in ms, and a number among those begun at the same time: together, they order segments.
   */
  createdAt: number;
  sequence: number;
  /** Bytes of it that are uploaded or abandoned. */
  offset: number;
  /** Its process; null once nobody writes to it. */
  owner: { pid: number; startedAt: string | null } | null;
  /** Keeps names apart. */
  salt: string;
}

const digits = (value: number, width: number): string => String(value).padStart(width, '0');

export function segmentName({ createdAt, sequence, offset, owner, salt }: SegmentName): string {
  const whose = owner === null ? 'free' : `${owner.pid}.${owner.startedAt ?? ''}`;
  return `${digits(createdAt, 15)}-${digits(sequence, 6)}-${salt}-${whose}-${offset}.jsonl`;
}

/** Null for a file that is not a segment. */
export function readSegmentName(name: string): SegmentName | null {
  const found = /^(\d{15})-(\d{6})-([0-9a-f]{8})-(?:free|(\d{1,10})\.(\d{0,20}))-(\d{1,15})\.jsonl$/.exec(
    name,
  );
  if (found === null) return null;
  const [, createdAt, sequence, salt = '', pid, startedAt, offset] = found;
  return {
    createdAt: Number(createdAt),
    sequence: Number(sequence),
    offset: Number(offset),
    owner: pid === undefined ? null : { pid: Number(pid), startedAt: startedAt || null },
    salt,
  };
}
