/** Whether an element can be seen. */
import { useEffect, useState } from 'react';

/**
 * False while the element is hidden or scrolled away, as behind the list on a phone or at the end of a long
 * page.
 */
export function useIsInSight(element: HTMLElement | null): boolean {
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    if (element === null) return;
    const observer = new IntersectionObserver((entries) =>
      setInSight(entries.at(-1)?.isIntersecting ?? false),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return isInSight;
}
