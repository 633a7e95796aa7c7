import { describe, expect, it } from 'vitest';
import { createFrameReader, type Frame } from './frame-reader.ts';

const encode = (text: string) => new TextEncoder().encode(text);

function readBytewise(text: string): Frame[] {
  const reader = createFrameReader();
  return [...encode(text)].flatMap((byte) => reader.read(Uint8Array.of(byte)));
}

describe('frames of a live stream', () => {
  it('have event, data, and cursor, and are complete at their blank line, not before', () => {
    const reader = createFrameReader();
    expect(reader.read(encode('event: message\nid: abc-1\ndata: {"a"'))).toEqual([]);
    expect(reader.read(encode(':1}\n'))).toEqual([]);
    expect(reader.read(encode('\n'))).toEqual([{ event: 'message', id: 'abc-1', data: '{"a":1}' }]);
  });

  it('are the same however the bytes are cut, also within characters and line ends', () => {
    const whole = 'event: message\r\nid: 1\r\ndata: "grüße 👋"\r\n\r\nevent: bye\rdata: {}\r\r: beat\n\n';
    expect(readBytewise(whole)).toEqual([
      { event: 'message', id: '1', data: '"grüße 👋"' },
      { event: 'bye', id: undefined, data: '{}' },
    ]);
  });

  it('are not split at U+2028, U+2029, or U+0085, which a body may contain', () => {
    const data = '"a\u2028b\u2029c\u0085d"';
    expect(readBytewise(`data: ${data}\n\n`)).toEqual([{ event: 'message', id: undefined, data }]);
  });

  it('report the retry time', () => {
    const reader = createFrameReader();
    reader.read(encode('retry: 2000\n\n'));
    expect(reader.retryMs).toBe(2000);
  });

  it('that never end are refused at 4 MiB', () => {
    const reader = createFrameReader();
    const megabyte = encode('x'.repeat(1024 * 1024));
    reader.read(encode('data: '));
    expect(() => {
      for (let i = 0; i < 6; i++) reader.read(megabyte);
    }).toThrow('buffer');
  });
});
