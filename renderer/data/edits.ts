/** A form over a record that others change, too: what is not touched follows, what is typed stays, and only that is sent. */
import { useState } from 'react';

type Edits<T> = { [K in keyof T]?: { from: T[K]; to: T[K] } };

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export interface Edited<T> {
  /** As the form shows it. */
  value: T;
  set<K extends keyof T>(field: K, to: T[K]): void;
  /** What is to be sent; at the moment of sending, handed over. */
  changed: Partial<T>;
  /** Fields that are typed in and that somebody else has changed since. */
  overtaken: (keyof T)[];
  /** What was sent is what is there now; what was typed meanwhile stays. */
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
