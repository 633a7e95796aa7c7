/** How a message begins in the results of tools, by which it is recognized in a request to a model. Pure. */
import type { Message } from '#protocol/message.ts';

export const messageHead = ({ ts, from }: Pick<Message, 'ts' | 'from'>): string =>
  `${new Date(ts).toISOString()} ${from}`;
