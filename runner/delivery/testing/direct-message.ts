import { Message } from '#protocol/message.ts';

/** The nth direct message from ada to ben; the last digits of its id are `n`. */
export const directMessage = (n: number, body = `message ${n}`): Message =>
  Message.parse({
    id: `019a1b2c-3d4e-7f00-8a1b-${n.toString(16).padStart(12, '0')}`,
    ts: n,
    from: 'ada',
    to: 'ben',
    title: null,
    body,
    level: 'info',
    data: {},
    attachments: [],
  });
