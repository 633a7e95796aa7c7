/** A small picture of an attached image, in a box whose size does not depend on it. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { hasAtMost, imageSize } from '../../ui/image-size.rules.ts';
import { useIsInSight } from '../../ui/in-sight.ts';

/** Larger images open in the viewer only. */
const maxBytes = 4 * 1024 * 1024;
/** The browser decodes the whole image, with 4 bytes per pixel. */
const maxMegapixels = 16;
/** Twice the size of the box, for screens with small pixels. */
const maxSize = { width: 384, height: 256 };

/** Whether the path is called as an image whose size can be read; the broker knows its type only when it is asked. */
export const isImagePath = (path: string): boolean => /\.(?:png|jpe?g|gif|webp)$/i.test(path);

let lastDecoding: Promise<unknown> = Promise.resolve();

/** Waits for the others, so that only one whole image is in memory. */
function oneAtATime<T>(decode: () => Promise<T>): Promise<T> {
  const decoding = lastDecoding.then(decode);
  lastDecoding = decoding.catch(() => undefined);
  return decoding;
}

/**
 * Keeps only a few kilobytes of an image in memory. Returns null if it has too many pixels, or if their number
 * is unknown. @throws what the browser throws if it is not an image.
 */
async function shrunk(bytes: Blob): Promise<Blob | null> {
  const size = imageSize(new Uint8Array(await bytes.arrayBuffer()));
  if (size === null || !hasAtMost(size, maxMegapixels)) return null;
  const bitmap = await createImageBitmap(bytes);
  const { width, height } = bitmap;
  const scale = Math.min(1, maxSize.width / width, maxSize.height / height);
  const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.convertToBlob();
}

/** Null if there is no picture to show. It is loaded when the box is seen for the first time. */
function useThumbnail(path: string, wasSeen: boolean): string | null | undefined {
  const { client, transport } = useBroker();
  const { data, isError } = useQuery({
    queryKey: ['thumbnail', path],
    enabled: wasSeen,
    retry: false,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      const { entry } = await client.call('statFile', { query: { path } });
      if ((entry.size ?? 0) > maxBytes) return null;
      const bytes = await transport.readFile(path, () => undefined, signal);
      return oneAtATime(() => {
        signal.throwIfAborted();
        return shrunk(bytes);
      });
    },
  });
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (data === undefined || data === null) return;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return isError || data === null ? null : url;
}

export function AttachmentThumbnail({ path }: { path: string }) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [wasSeen, setSeen] = useState(false);
  if (useIsInSight(element) && !wasSeen) setSeen(true);
  const url = useThumbnail(path, wasSeen);
  return (
    <span
      ref={setElement}
      className="flex h-32 w-48 items-center justify-center bg-sunken text-sm text-faint"
    >
      {url === null ? (
        'No preview'
      ) : url === undefined ? null : (
        <img src={url} alt="" className="max-h-full max-w-full object-contain" />
      )}
    </span>
  );
}
