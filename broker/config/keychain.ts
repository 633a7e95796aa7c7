/** The system's own store of secrets, as whoever hosts the broker reaches it. */
export interface Keychain {
  wrap(text: string): Promise<Uint8Array>;
  /** `isStale`: readable, but to be wrapped anew. @throws when these bytes were wrapped by another keychain. */
  unwrap(bytes: Uint8Array): Promise<{ text: string; isStale: boolean }>;
}
