/**
 * Finds where a JSON text breaks. JSON.parse reports it only sometimes, and quotes the text around it, which
 * may be a secret. It uses a stack of its own, so that deep nesting cannot exhaust the program's.
 */

const space = /[ \t\n\r]*/y;
const string = /"(?:[\x20\x21\x23-\x5b\x5d-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

/**
 * Returns the line and column, both from 1, of the first character that is not allowed where it is; null if
 * the text is JSON.
 */
export function jsonFault(text: string): { line: number; column: number } | null {
  const offset = faultOffset(text);
  if (offset === null) return null;
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function faultOffset(text: string): number | null {
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found !== null;
  };
  const skipMark = (mark: string): boolean => {
    skip(space);
    if (text[at] !== mark) return false;
    at++;
    return true;
  };
  const skipKey = (): boolean => {
    skip(space);
    return skip(string) && skipMark(':');
  };

  const closers: ('}' | ']')[] = [];
  for (;;) {
    // A value must follow here.
    if (skipMark('{')) {
      closers.push('}');
      if (!skipMark('}')) {
        if (!skipKey()) return at;
        continue;
      }
      closers.pop();
    } else if (skipMark('[')) {
      closers.push(']');
      if (!skipMark(']')) continue;
      closers.pop();
    } else if (!skip(string) && !skip(scalar)) return at;

    // A value has ended here: close what it ends, or continue with the next one.
    for (;;) {
      const closer = closers.at(-1);
      if (closer === undefined) {
        skip(space);
        return at === text.length ? null : at;
      }
      if (skipMark(closer)) closers.pop();
      else if (skipMark(',')) {
        if (closer === '}' && !skipKey()) return at;
        break;
      } else return at;
    }
  }
}
