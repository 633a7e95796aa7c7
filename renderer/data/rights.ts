/**
 * Decides what the console offers: the broker's own rules, applied to what the console knows. The broker
 * checks every request again.
 */
import { isAllowed, type Leaf, type Relation } from '#protocol/access.ts';
import { BrokerError } from '#protocol/errors.ts';
import { operationRules } from '#protocol/operation-rules.ts';
import type { OperationId } from '#protocol/operations.ts';

/**
 * Whether a member with these permissions may perform the operation. `relations`: the member's relations to
 * the object of the operation.
 */
export const may = (
  operation: OperationId,
  permissions: readonly Leaf[],
  relations: readonly Relation[] = [],
): boolean => isAllowed(operationRules[operation], permissions, relations);

/** The broker answered, and did not give what was asked for. The member may no longer have the right to read the cached copy. */
export const isRefused = (error: unknown): boolean => error instanceof BrokerError && error.status < 500;

/** Returns the relations of `self` to a member, or to an object that belongs to that member. */
export const relationsToMember = (name: string, self: string): Relation[] => (name === self ? ['self'] : []);

/**
 * Returns the relations of `self` to a file or a folder. A path starts with the name of the member in whose
 * home it is.
 */
export const relationsToPath = (path: string, self: string): Relation[] =>
  path.split('/')[1] === self ? ['owner'] : [];
