/** The system's own store of secrets, as the broker's host reaches it. */
export interface Keychain {
  wrap(text: string): Promise<Uint8Array>;
  /**
   * `isStale`: readable, but must be wrapped again. @throws if these bytes were wrapped by another keychain.
   */
  unwrap(bytes: Uint8Array): Promise<{ text: string; isStale: boolean }>;
}
