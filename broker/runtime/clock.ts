/** Returns epoch milliseconds. It is passed to whatever needs the time, so that a test can set it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
