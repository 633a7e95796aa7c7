/**
 * Reads OTLP's `ExportTraceServiceRequest` in protobuf, written from its definition alone
 * (opentelemetry/proto/trace/v1/trace.proto). Anything that the definition does not have is an error.
 */

type Kind = 'string' | 'hex' | 'varint' | 'bool' | 'fixed64' | 'fixed32' | 'double' | Fields;
interface Field {
  name: string;
  kind: Kind;
  isRepeated?: boolean;
}
interface Fields {
  [number: number]: Field;
}

const one = (name: string, kind: Kind): Field => ({ name, kind });
const many = (name: string, kind: Kind): Field => ({ name, kind, isRepeated: true });

const anyValue: Fields = {
  1: one('stringValue', 'string'),
  2: one('boolValue', 'bool'),
  3: one('intValue', 'varint'),
  4: one('doubleValue', 'double'),
};
const attributes = many('attributes', { 1: one('key', 'string'), 2: one('value', anyValue) });
const dropped = one('droppedAttributesCount', 'varint');
const link: Fields = {
  1: one('traceId', 'hex'),
  2: one('spanId', 'hex'),
  3: one('traceState', 'string'),
  4: attributes,
  5: dropped,
  6: one('flags', 'fixed32'),
};
const span: Fields = {
  1: one('traceId', 'hex'),
  2: one('spanId', 'hex'),
  3: one('traceState', 'string'),
  4: one('parentSpanId', 'hex'),
  5: one('name', 'string'),
  6: one('kind', 'varint'),
  7: one('startTimeUnixNano', 'fixed64'),
  8: one('endTimeUnixNano', 'fixed64'),
  9: attributes,
  10: dropped,
  11: many('events', {
    1: one('timeUnixNano', 'fixed64'),
    2: one('name', 'string'),
    3: attributes,
    4: dropped,
  }),
  12: one('droppedEventsCount', 'varint'),
  13: many('links', link),
  14: one('droppedLinksCount', 'varint'),
  15: one('status', { 2: one('message', 'string'), 3: one('code', 'varint') }),
  16: one('flags', 'fixed32'),
};
const scope: Fields = { 1: one('name', 'string'), 2: one('version', 'string'), 3: attributes, 4: dropped };
const request: Fields = {
  1: many('resourceSpans', {
    1: one('resource', { 1: attributes, 2: dropped }),
    2: many('scopeSpans', {
      1: one('scope', scope),
      2: many('spans', span),
      3: one('schemaUrl', 'string'),
    }),
    3: one('schemaUrl', 'string'),
  }),
};

const wireTypes = { varint: 0, bool: 0, fixed64: 1, double: 1, string: 2, hex: 2, fixed32: 5 };

class Reader {
  readonly bytes: Buffer;
  at = 0;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }
  take(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new Error('the message ends inside a field');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  varint(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.take(1).readUInt8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
      if (shift > 63n) throw new Error('a number is too long');
    }
  }
}

function readValue(reader: Reader, kind: Kind): unknown {
  if (typeof kind === 'object') return readMessage(reader.take(reader.varint()), kind);
  switch (kind) {
    case 'varint':
      return reader.varint();
    case 'bool':
      return reader.varint() === 1;
    case 'fixed64':
      return String(reader.take(8).readBigUInt64LE());
    case 'fixed32':
      return reader.take(4).readUInt32LE();
    case 'double':
      return reader.take(8).readDoubleLE();
    case 'hex':
      return reader.take(reader.varint()).toString('hex');
    case 'string':
      return new TextDecoder('utf-8', { fatal: true }).decode(reader.take(reader.varint()));
  }
}

function readMessage(bytes: Buffer, fields: Fields): Record<string, unknown> {
  const reader = new Reader(bytes);
  const message: Record<string, unknown> = {};
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    const field = fields[tag >> 3];
    if (field === undefined) throw new Error(`there is no field ${tag >> 3}`);
    const { name, kind, isRepeated } = field;
    const wireType = typeof kind === 'object' ? 2 : wireTypes[kind];
    if ((tag & 7) !== wireType) throw new Error(`${name} has the wrong type`);
    const value = readValue(reader, kind);
    if (isRepeated) message[name] = [...((message[name] as unknown[]) ?? []), value];
    else if (name in message) throw new Error(`${name} comes twice`);
    else message[name] = value;
  }
  return message;
}

/** Returns what the same request would be in JSON. @throws Error for what is not such a request. */
export const readTraceRequest = (bytes: Buffer): unknown => readMessage(bytes, request);
