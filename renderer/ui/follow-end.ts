/** A box that scrolls, and stays at its end when content is appended, until the reader moves up. */
import { type UIEvent, useCallback, useLayoutEffect, useRef } from 'react';

const nearEndPx = 40;

/** `last` names the last entry. `box` is the `ref` of the element; `leave` stops following, as moving up does. */
export function useFollowEnd(last: string | number | undefined) {
  const element = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const top = useRef(0);
  const follow = useCallback(() => {
    const { current } = element;
    if (current === null || !isAtEnd.current) return;
    current.scrollTop = current.scrollHeight;
    top.current = current.scrollTop;
  }, []);
  useLayoutEffect(() => {
    if (last !== undefined) follow();
  }, [last, follow]);
  const box = useCallback(
    (it: HTMLElement | null) => {
      element.current = it;
      if (it === null) return undefined;
      const observer = new ResizeObserver(follow);
      observer.observe(it);
      return () => {
        observer.disconnect();
        element.current = null;
      };
    },
    [follow],
  );
  return {
    box,
    leave(): void {
      isAtEnd.current = false;
    },
    onScroll({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent): void {
      const isNear = scrollHeight - scrollTop - clientHeight < nearEndPx;
      // Only the reader moves up. Otherwise, the box became lower since it followed.
      if (isNear || scrollTop < top.current) isAtEnd.current = isNear;
      top.current = scrollTop;
    },
  };
}
