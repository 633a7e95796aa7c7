/** The form of an address that a client may keep beside the one that a person gave it (specification/standby.md#addresses). */

export const maxAddresses = 16;
/** A host name has 253 at most. */
export const maxAddressCharacters = 300;

/** Whether it is `https://host` or `https://host:port`, as `URL.origin` writes it. */
export function isFurtherAddress(text: string): boolean {
  if (text.length > maxAddressCharacters) return false;
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.origin === text;
}
