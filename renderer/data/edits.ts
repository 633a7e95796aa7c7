/**
 * A form over a record that others may change at the same time: untouched fields follow the record, edited
 * fields stay, and only edited fields are sent.
 */
import { useState } from 'react';

type Edits<T> = { [K in keyof T]?: { from: T[K]; to: T[K] } };

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export interface Edited<T> {
  /** The values that the form shows. */
  value: T;
  set<K extends keyof T>(field: K, to: T[K]): void;
  /** The edited fields, to be sent. */
  changed: Partial<T>;
  /** Edited fields that another member has changed in the meantime. */
  overtaken: (keyof T)[];
  /** Marks these values as saved; fields that were edited in the meantime stay. */
  sent(what: Partial<T>): void;
}

/** `now` is the record as the broker has it. */
export function useEdits<T extends object>(now: T): Edited<T> {
  const [edits, setEdits] = useState<Edits<T>>({});
  const fields = (Object.keys(now) as (keyof T)[]).filter((field) => {
    const edit = edits[field];
    return edit !== undefined && !isSame(edit.to, now[field]);
  });
  const changed = Object.fromEntries(fields.map((field) => [field, edits[field]?.to])) as Partial<T>;
  return {
    value: { ...now, ...changed },
    set: (field, to) =>
      setEdits((all) => ({ ...all, [field]: { from: (all[field] ?? { from: now[field] }).from, to } })),
    changed,
    overtaken: fields.filter((field) => !isSame(edits[field]?.from, now[field])),
    sent: (what) =>
      setEdits((all) => {
        const left = { ...all };
        for (const field of Object.keys(what) as (keyof T)[]) {
          const edit = left[field];
          if (edit === undefined) continue;
          if (isSame(edit.to, what[field])) delete left[field];
          else left[field] = { ...edit, from: what[field] as T[typeof field] };
        }
        return left;
      }),
  };
}
