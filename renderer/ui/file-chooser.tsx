/** Opens the file dialog of the system. */
import { type ReactNode, useRef } from 'react';

/** `input` is rendered anywhere; it is never seen. */
export function useFileChooser(onFiles: (files: FileList) => void): { input: ReactNode; choose: () => void } {
  const chooser = useRef<HTMLInputElement>(null);
  return {
    choose: () => chooser.current?.click(),
    input: (
      <input
        ref={chooser}
        type="file"
        multiple
        className="hidden"
        onChange={({ target }) => {
          if (target.files !== null) onFiles(target.files);
          target.value = '';
        }}
      />
    ),
  };
}
