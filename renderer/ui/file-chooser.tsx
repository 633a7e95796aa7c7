/** Opens the system's file dialog. */
import { type ReactNode, useRef } from 'react';

/** Returns `input`, an invisible element that can be rendered anywhere. */
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
