/**
 * Every refusal that the broker answers: a stable reason, its code, what happened, and what to do (specification/api.md#errors).
 * `{name}` in a text is a parameter that the caller of `refuse` passes. `docs/generated/errors.md` is written from this table. No schema
 * stands here, because store threads load this file and start faster without zod.
 */
import { administrationRefusals } from './refusals/administration.ts';
import type { Refusal } from './refusals/refusal.ts';
import { requestRefusals } from './refusals/requests.ts';
import { teamworkRefusals } from './refusals/teamwork.ts';

// A spread would stay in the console, which does not use the texts.
export const refusals = /* @__PURE__ */ Object.assign(
  {},
  requestRefusals,
  teamworkRefusals,
  administrationRefusals,
) satisfies Record<string, Refusal>;

export type { Refusal };

export type Reason = keyof typeof refusals;

type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;
type TextOf<R extends Reason> =
  | (typeof refusals)[R]['sentence']
  | ((typeof refusals)[R] extends { remedy: infer Remedy } ? Remedy : never);

/** A list stands in the message as quoted values. */
type Value = string | number | readonly string[];

/** The parameters that the texts of a reason name. */
export type RefusalParameters<R extends Reason> = Record<Placeholders<TextOf<R>>, Value>;

/** Returns the message of a refusal: what happened, then what to do, with the parameters filled in. */
export function refusalMessage(reason: Reason, parameters: Readonly<Record<string, Value>>): string {
  const { sentence, remedy }: Refusal = refusals[reason];
  const text = remedy === undefined ? sentence : `${sentence}; ${remedy}`;
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => textOf(parameters[name] ?? ''));
}

const textOf = (value: Value): string =>
  typeof value === 'object' ? value.map((one) => `"${one}"`).join(', ') : String(value);
