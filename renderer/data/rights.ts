/** What the console offers: the broker's own rules, asked with what the console knows. The broker decides again on every request. */
import { isAllowed, type Leaf, type Relation } from '#protocol/access.ts';
import { type OperationId, operations } from '#protocol/operations.ts';

/** Whether a member with these permissions may do the operation. `relations`: what the member is to the thing that it acts on. */
export const may = (
  operation: OperationId,
  permissions: readonly Leaf[],
  relations: readonly Relation[] = [],
): boolean => isAllowed(operations[operation].rule, permissions, relations);

/** What `self` is to a member, or to what belongs to that member. */
export const relationsToMember = (name: string, self: string): Relation[] => (name === self ? ['self'] : []);

/** What `self` is to a file or a folder. A path starts with the name of the member whose home it is in. */
export const relationsToPath = (path: string, self: string): Relation[] =>
  path.split('/')[1] === self ? ['owner'] : [];
