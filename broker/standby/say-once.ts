/** Returns a listener that passes on a reason, or null, only when it differs from the one before. */
export function sayOnce(say: (reason: string | null) => void): (reason: string | null) => void {
  let last: string | null | undefined;
  return (reason) => {
    if (reason !== last) say(reason);
    last = reason;
  };
}
