/**
 * The form in which names are compared, because they are unique without regard to case
 * (specification/members.md#names). Separate from the schemas, because store threads use it and start faster
 * without zod.
 */
export const foldedName = (name: string): string => name.toLowerCase();
