/** Names are unique without regard to case (D2); this is what is compared. Apart from the schemas, because store threads use it and start faster without zod. */
export const foldedName = (name: string): string => name.toLowerCase();
