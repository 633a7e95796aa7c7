/** An image of the team's files. The page loads its bytes, because an `img` could not prove the session. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { cx } from '../../ui/class-names.ts';
import { fileSize } from '../../ui/file-size.rules.ts';
import { hasAtMost, imageSize } from '../../ui/image-size.rules.ts';
import { scrollable } from '../../ui/scrollable.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Choices } from './choices.tsx';

const maxImageBytes = 20_000_000;
/** Decoded, an image has 4 bytes per pixel, which may be many thousand times its size as a file. */
const maxMegapixels = 40;

/** Returns why the image is not decoded, or null. */
async function refusalOf(bytes: Blob): Promise<string | null> {
  const size = imageSize(new Uint8Array(await bytes.arrayBuffer()));
  if (size === null)
    return 'The console shows only PNG, JPEG, GIF, and WebP images whose size it can read. Download the file to open it.';
  return hasAtMost(size, maxMegapixels)
    ? null
    : `This image has ${size.width} × ${size.height} pixels, and only images of up to ${maxMegapixels} megapixels are shown. Download it to open it.`;
}

/** Says why a file has no preview. */
export const NotShown = ({ children }: { children: ReactNode }) => (
  <p className="rounded-md bg-sunken p-4 text-soft">{children}</p>
);

export function FileImage({ entry }: { entry: FsEntry }) {
  const { transport } = useBroker();
  const isTooLarge = (entry.size ?? 0) > maxImageBytes;
  const { data, error } = useQuery({
    queryKey: ['fileBytes', entry.path, entry.hash],
    enabled: !isTooLarge,
    queryFn: async ({ signal }) => {
      const bytes = await transport.readFile(entry.path, () => undefined, signal);
      const refusal = await refusalOf(bytes);
      return refusal === null ? { bytes, refusal } : { bytes: null, refusal };
    },
    // It may be large, and it is gone from memory with the dialog.
    gcTime: 0,
  });
  const [size, setSize] = useState<'Fit' | 'Actual size'>('Fit');
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (data === undefined || data.bytes === null) return undefined;
    const made = URL.createObjectURL(data.bytes);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  if (isTooLarge)
    return (
      <NotShown>
        This image has {fileSize(entry.size ?? 0)}. Only images of up to {fileSize(maxImageBytes)} are shown.
        Download it to open it.
      </NotShown>
    );
  if (error !== null) return <ErrorState error={error} />;
  if (data?.bytes === null) return <NotShown>{data.refusal}</NotShown>;
  if (url === undefined) return <Skeleton className="h-40 w-full" />;
  const isActual = size === 'Actual size';
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Choices label="Size" choices={['Fit', 'Actual size']} value={size} onChoose={setSize} />
      <div
        {...(isActual && scrollable(`Image ${entry.name}`))}
        className={cx('flex', isActual ? 'max-h-96 overflow-auto rounded-md bg-sunken' : 'justify-center')}
      >
        <img
          src={url}
          alt={entry.name}
          className={isActual ? 'max-w-none' : 'max-h-96 max-w-full rounded-md object-contain'}
        />
      </div>
    </div>
  );
}
