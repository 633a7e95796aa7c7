/** JSON in UTF-8 that is sent as it is; a handler returns it instead of the reply's value. */
export class JsonReply {
  /**
   * A text; bytes, whose memory is given back when they are sent; or pages that are sent one by one, so that memory
   * holds one of them, however long the reply is and however slowly it is read.
   */
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array>;

  constructor(content: JsonReply['content']) {
    this.content = content;
  }
}
