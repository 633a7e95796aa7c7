/** A test broker and the activity streams that were opened on it, which close with it. */
import type { ActivityRow } from '#protocol/activity.ts';
import { startTestBroker, type TestBroker, type TestBrokerOptions } from '../../../testing/test-broker.ts';
import { openTestStream, type TestStream } from '../../../testing/test-stream.ts';

export interface StreamedTeam {
  broker: TestBroker;
  /** Opens `reader`'s stream of the member's activity, and resolves once it has sent ready or reset. */
  watch(reader: string, member: string, cursor?: string): Promise<TestStream>;
  stop(): Promise<void>;
}

export async function startStreamedTeam(options: TestBrokerOptions): Promise<StreamedTeam> {
  const broker = await startTestBroker(options);
  const streams = new Set<TestStream>();
  return {
    broker,
    async watch(reader, member, cursor) {
      const url = `${broker.url}/members/${member}/activity/stream`;
      const stream = await openTestStream(url, broker.token(reader), cursor);
      streams.add(stream);
      return stream;
    },
    async stop() {
      for (const stream of streams) stream.close();
      await broker.stop();
    },
  };
}

export const rowsOf = ({ frames }: TestStream): ActivityRow[] =>
  frames.filter(({ event }) => event === 'activity').map(({ data }) => JSON.parse(data));

/** Resolves when the stream has shown that many rows. */
export const rows = (stream: TestStream, count: number): Promise<void> =>
  stream.until(() => rowsOf(stream).length >= count);
