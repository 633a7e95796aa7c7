/** A load of one large file, which is sent and then fetched again. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';

export interface FileLoad {
  port: number;
  token: string;
  path: string;
  bytes: number;
}

export interface FileLoadResult {
  writtenPerSecond: number;
  readPerSecond: number;
}

const piece = 1024 * 1024;

async function transfer({ port, token, bytes }: FileLoad, method: string, path: string): Promise<number> {
  const start = performance.now();
  const isUpload = method === 'POST';
  const call = request({
    port,
    host: '127.0.0.1',
    method,
    path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isUpload && { 'content-length': bytes, 'content-type': 'application/octet-stream' }),
    },
  });
  const answered = once(call, 'response');
  if (isUpload) {
    // Never the same content twice, because that would be stored once.
    const content = randomBytes(piece);
    for (let sent = 0; sent < bytes; sent += piece) {
      content.writeUInt32BE(sent / piece);
      if (!call.write(Buffer.from(content))) await once(call, 'drain');
    }
  }
  call.end();
  const [response] = await answered;
  let received = 0;
  for await (const chunk of response) received += chunk.length;
  if (response.statusCode !== 200 || (!isUpload && received !== bytes))
    throw new Error(`the file was answered ${response.statusCode}, ${received} bytes`);
  return (bytes * 1000) / (performance.now() - start);
}

export async function runFileLoad(load: FileLoad): Promise<FileLoadResult> {
  const writtenPerSecond = await transfer(load, 'POST', `/fs/write?path=${encodeURIComponent(load.path)}`);
  return { writtenPerSecond, readPerSecond: await transfer(load, 'GET', `/fs/read${load.path}`) };
}
