/**
 * Characters that make a name look like another one: they turn the direction of what follows, or show nothing
 * (specification/members.md#names). Separate from the schemas, because store threads start faster without zod.
 */

/** Controls, separators, and what turns the direction or has no width; joiners and selectors are judged below. */
const hidden =
  /[[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\u200c\u200d\ufe00-\ufe0f]]/v;

/** A joiner has a purpose within an emoji, after a sign that combines, and in scripts whose letters join. */
const loneJoiner =
  /(?<![\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script_Extensions=Arabic}\p{Script_Extensions=Syriac}\p{Script_Extensions=Mongolian}])[\u200c\u200d]/u;

/** A selector chooses between two forms of an emoji or of a Chinese character. */
const loneSelector = /(?<![\p{Emoji}\p{Script=Han}])[\ufe00-\ufe0f]/u;

export const hasHiddenSign = (text: string): boolean =>
  hidden.test(text) || loneJoiner.test(text) || loneSelector.test(text);

export const hiddenSignFault =
  'must not have invisible characters or characters that change the direction of text';
