/**
 * A model in memory of who must see what of one channel: every message with the members for whom it was when it
 * was accepted.
 */

export interface Accepted {
  body: string;
  /** Null for a post in the channel, else the recipient. */
  to: string | null;
  /** The members for whom it was. */
  audience: ReadonlySet<string>;
}

interface Reader {
  isLive: boolean;
  /** How many messages had been accepted at its cursor. */
  cursor: number;
  /** The bodies that its present stream must have shown. */
  shown: string[];
}

export class ChannelModel {
  readonly inside: Set<string>;
  readonly accepted: Accepted[] = [];
  readonly #readerByName: Map<string, Reader>;

  constructor(names: readonly string[], creator: string) {
    this.inside = new Set([creator]);
    this.#readerByName = new Map(names.map((name) => [name, { isLive: false, cursor: 0, shown: [] }]));
  }

  /** The status of a join, which adds the member. */
  join(name: string): number {
    this.inside.add(name);
    return 204;
  }

  leave(name: string): number {
    return this.inside.delete(name) ? 204 : 404;
  }

  /** The status of a post in the channel. */
  post(by: string, body: string): number {
    if (!this.inside.has(by)) return 403;
    this.#accept({ body, to: null, audience: new Set(this.inside) });
    return 200;
  }

  /** A message to oneself. */
  note(by: string, body: string): void {
    this.#accept({ body, to: by, audience: new Set([by]) });
  }

  /** The stream resumes where the previous one ended. */
  connect(name: string): void {
    const reader = this.#reader(name);
    reader.isLive = true;
    reader.shown = [];
    for (const [at, { body, to, audience }] of this.accepted.entries()) {
      if (at < reader.cursor || !audience.has(name)) continue;
      if (to === null && !this.inside.has(name)) continue;
      this.#show(reader, body, at);
    }
  }

  disconnect(name: string): void {
    this.#reader(name).isLive = false;
  }

  isLive = (name: string): boolean => this.#reader(name).isLive;

  shownTo = (name: string): string[] => this.#reader(name).shown;

  /** Returns the bodies in the history, newest first, or 403. */
  history(name: string): string[] | number {
    if (!this.inside.has(name)) return 403;
    return this.accepted
      .filter(({ to }) => to === null)
      .map(({ body }) => body)
      .reverse();
  }

  #accept(message: Accepted): void {
    this.accepted.push(message);
    for (const name of message.audience) {
      const reader = this.#reader(name);
      if (reader.isLive) this.#show(reader, message.body, this.accepted.length - 1);
    }
  }

  #show(reader: Reader, body: string, at: number): void {
    reader.shown.push(body);
    reader.cursor = at + 1;
  }

  #reader(name: string): Reader {
    const reader = this.#readerByName.get(name);
    if (reader === undefined) throw new Error(`the model has no ${name}`);
    return reader;
  }
}
