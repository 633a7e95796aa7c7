/** One request on its way through the steps of its row: what they learn of it, and when. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../runtime/actor.ts';
import type { PhaseTimes } from '../runtime/operation-timings.ts';
import type { Origin, RequestScope, StoreTime } from '../runtime/request-scope.ts';
import type { Span } from '../runtime/tracing.ts';
import type { CookiePlace } from '../security/session-cookie.ts';
import type { Presented } from './authenticate.ts';
import { publicPlace, sourceAddress } from './public-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate of every route that needs a credential. */
    actor: Actor | null;
    /** Null for paths that are not in the contract table. */
    visit: Visit | null;
  }
}

export class Visit implements RequestScope, Origin, Presented {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly storeTime: StoreTime = { queue: 0, statements: 0, commit: 0 };
  /** Whether other requests had their turn first. */
  hasWaited = false;
  // `performance.now()` of each step; undefined until it begins.
  readonly arrivedAt = performance.now();
  admittedAt = this.arrivedAt;
  readAt = this.arrivedAt;
  begunAt: number | undefined;
  calledAt: number | undefined;
  #place: CookiePlace | null = null;
  #address: string | null = null;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.request = request;
    this.reply = reply;
  }

  /** Read again when the body has arrived. */
  get actor(): Actor | null {
    return this.request.actor;
  }

  get origin(): Origin {
    return this;
  }

  get span(): Span | null {
    return this.request.span;
  }

  get headers(): Presented['headers'] {
    return this.request.raw.headers;
  }

  get place(): CookiePlace {
    this.#place ??= publicPlace(this.request);
    return this.#place;
  }

  get address(): string {
    this.#address ??= sourceAddress(this.request);
    return this.#address;
  }

  /** The time of the gate and the checks, the body, the stores, and the rest. */
  phases(endedAt: number): PhaseTimes {
    const { arrivedAt, admittedAt, readAt, storeTime } = this;
    const begunAt = this.begunAt ?? endedAt;
    const calledAt = this.calledAt ?? endedAt;
    const { queue, statements, commit } = storeTime;
    const around = begunAt - readAt + (endedAt - calledAt);
    return {
      checks: admittedAt - arrivedAt + (calledAt - begunAt),
      body: readAt - admittedAt,
      queue,
      statements,
      commit,
      // Calls that a request makes side by side add up to more than the time that passed.
      rest: Math.max(0, around - queue - statements - commit),
    };
  }
}
