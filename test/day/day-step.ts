/** One step of the day, and what the model expects of it. */
import type { Day } from './day-state.ts';
import { accept, connect, disconnect } from './day-state.ts';
import { type FileStep, takeFileStep } from './file-model.ts';
import { type ObjectiveStep, takeObjectiveStep } from './objective-model.ts';
import { type PeopleStep, takePeopleStep } from './people-model.ts';
import { type ReadingStep, takeReadingStep } from './reading-model.ts';

export type Step =
  | PeopleStep
  | ObjectiveStep
  | FileStep
  | ReadingStep
  /** The stream of a member ends, or resumes at its cursor with a note to itself behind it. */
  | { kind: 'goOffline'; by: string }
  | { kind: 'comeBack'; by: string; label: string };

export interface Outcome {
  status: number;
  /** The path that a write used. */
  path?: string;
}

export function take(day: Day, step: Step): Outcome {
  switch (step.kind) {
    case 'push':
    case 'createChannel':
    case 'join':
    case 'leave':
    case 'rename':
    case 'archive':
    case 'addMember':
    case 'setLevel':
    case 'removeMember':
      return { status: takePeopleStep(day, step) };
    case 'write':
    case 'move':
    case 'remove':
      return takeFileStep(day, step);
    case 'read':
    case 'evidence':
      return { status: takeReadingStep(day, step) };
    case 'goOffline':
      disconnect(day, step.by);
      return { status: 0 };
    case 'comeBack':
      connect(day, step.by);
      note(day, step.by, step.label);
      return { status: 200 };
    default:
      return { status: takeObjectiveStep(day, step) };
  }
}

/** A message to oneself: when it has arrived, everything before it has arrived. */
export function note(day: Day, by: string, label: string): void {
  accept(day, { label, from: by, to: by, scope: `dm:${by}:${by}`, isNotice: false, audience: [by] });
}
