/** The title of the tab: how much needs the member, where it is, and the product. One owner of `document.title`. */
import { useEffect } from 'react';

let place = '';
let count = 0;

function write(): void {
  const name = place === '' ? 'Muster' : `${place} · Muster`;
  document.title = count === 0 ? name : `(${count}) ${name}`;
}

/** `name`: of the screen. */
export function useDocumentTitle(name: string): void {
  useEffect(() => {
    place = name;
    write();
  }, [name]);
}

/** `waiting`: the number of things that need the member. */
export function useTitleCount(waiting: number): void {
  useEffect(() => {
    count = waiting;
    write();
    return () => {
      count = 0;
      write();
    };
  }, [waiting]);
}
