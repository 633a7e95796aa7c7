/** Pages of the JSON text of an object whose last property is a long array, for JsonPages. */

const pageCharacters = 64 * 1024;

/** `head` is the text up to the array, for example `{"objectives":`. */
export async function* longArray(
  head: string,
  pages: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<Uint8Array> {
  let text = `${head}[`;
  let separator = '';
  for await (const page of pages) {
    for (const item of page) {
      text += separator + JSON.stringify(item);
      separator = ',';
    }
    if (text.length < pageCharacters) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}]}`);
}
