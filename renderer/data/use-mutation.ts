/** Changes that the member makes. */
import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation as useLibraryMutation,
} from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

type Settled<Data, Variables> = NonNullable<UseMutationOptions<Data, Error, Variables>['onSettled']>;

/**
 * Like `useMutation` of the library, except that the same change is not asked for again while it is under way. A second press
 * can come before the page shows that the first one is pending.
 */
export function useMutation<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): UseMutationResult<Data, Error, Variables> {
  const underWay = useRef(new Set<string | undefined>());
  const onSettled: Settled<Data, Variables> = (data, error, variables, ...rest) => {
    underWay.current.delete(JSON.stringify(variables));
    return options.onSettled?.(data, error, variables, ...rest);
  };
  const mutation = useLibraryMutation({ ...options, onSettled });
  const { mutate } = mutation;
  const mutateOnce = useCallback<typeof mutate>(
    (...made) => {
      const change = JSON.stringify(made[0]);
      if (underWay.current.has(change)) return;
      underWay.current.add(change);
      mutate(...made);
    },
    [mutate],
  );
  return { ...mutation, mutate: mutateOnce };
}
