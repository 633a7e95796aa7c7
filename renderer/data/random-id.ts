/** Returns 32 hexadecimal digits by chance. `crypto.randomUUID` is missing on pages that arrived over plain HTTP from another machine. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
