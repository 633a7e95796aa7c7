/** Epoch milliseconds. Handed to whatever needs the time, so that a test can say what time it is. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
