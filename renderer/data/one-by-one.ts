/** Does something to several things, one after the other, and remembers what failed. */
import { useEffect, useRef, useState } from 'react';
import { sentenceOf } from '../ui/sentence-of.ts';

export interface Failure<Item> {
  item: Item;
  /** Why, as a sentence. */
  reason: string;
}

export interface Progress<Item> {
  /** The number of tried ones. */
  tried: number;
  total: number;
  failures: readonly Failure<Item>[];
  isRunning: boolean;
}

export interface OneByOne<Item> {
  /** Null until it begins. */
  progress: Progress<Item> | null;
  /** Resolves to the end result. */
  run(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<Progress<Item>>;
  /** Ends after the one that is under way. */
  stop(): void;
}

/** It also stops when the component is gone. */
export function useOneByOne<Item>(): OneByOne<Item> {
  const [progress, setProgress] = useState<Progress<Item> | null>(null);
  const isStopped = useRef(false);
  useEffect(() => {
    isStopped.current = false;
    return () => {
      isStopped.current = true;
    };
  }, []);
  return {
    progress,
    async run(items, act) {
      isStopped.current = false;
      const failures: Failure<Item>[] = [];
      let tried = 0;
      const now = (isRunning: boolean): Progress<Item> => ({
        tried,
        total: items.length,
        failures: [...failures],
        isRunning,
      });
      setProgress(now(true));
      for (const item of items) {
        if (isStopped.current) break;
        try {
          await act(item);
        } catch (error) {
          failures.push({ item, reason: sentenceOf(error) });
        }
        tried++;
        setProgress(now(true));
      }
      const result = now(false);
      setProgress(result);
      return result;
    },
    stop() {
      isStopped.current = true;
    },
  };
}
