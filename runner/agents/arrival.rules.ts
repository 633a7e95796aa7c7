/** How messages reach the model: the runner brings them, hooks of the agent fetch them, or only its tools do. */
export type Arrival = 'brought' | 'by hooks' | 'by tools';

/** `canWake`, `hooks`: of the agent's capabilities. */
export function arrivalOf({ canWake, hooks }: { canWake: boolean; hooks: object | null }): Arrival {
  if (canWake) return 'brought';
  return hooks === null ? 'by tools' : 'by hooks';
}
