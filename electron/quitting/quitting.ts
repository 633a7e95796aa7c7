/** Quits the app once: it ends the parts in the order of the quit plan, then the process. */
import { dialog } from 'electron';
import { createQuitPlan, type QuitPlan } from './quit-plan.ts';
import { quitQuestion } from './quit-question.rules.ts';

export interface Quitting extends Pick<QuitPlan, 'add'> {
  readonly hasBegun: boolean;
  /** Whether every part has ended, so that Electron may end the process. */
  readonly hasEnded: boolean;
  quit(): Promise<void>;
  /** Asks the person first if agents are running. `agents`: the number of them. */
  askToQuit(agents: number): Promise<void>;
  /** Sets the function that runs last. It returns true if it ends the process itself. */
  endProcessBy(end: () => boolean): void;
}

export interface QuittingDeps {
  exit(): void;
  log: { error(details: object, message: string): void };
}

export function createQuitting({ exit, log }: QuittingDeps): Quitting {
  const plan = createQuitPlan();
  let underWay: Promise<void> | null = null;
  let hasEnded = false;
  let isAsking = false;
  let endProcess = (): boolean => false;

  async function run(): Promise<void> {
    const report = await plan.run();
    if (report.failed.length > 0) log.error(report, 'some parts of the app did not end in order');
    hasEnded = true;
    if (!endProcess()) exit();
  }

  function quit(): Promise<void> {
    underWay ??= run();
    return underWay;
  }

  async function isConfirmed(agents: number): Promise<boolean> {
    const question = underWay === null ? quitQuestion(agents) : null;
    if (question === null) return true;
    if (isAsking) return false;
    isAsking = true;
    try {
      const { response } = await dialog.showMessageBox({
        type: 'question',
        ...question,
        defaultId: 1,
        cancelId: 1,
      });
      return response === 0;
    } finally {
      isAsking = false;
    }
  }

  return {
    add: plan.add,
    get hasBegun() {
      return underWay !== null;
    },
    get hasEnded() {
      return hasEnded;
    },
    quit,
    async askToQuit(agents) {
      if (await isConfirmed(agents)) await quit();
    },
    endProcessBy(end) {
      endProcess = end;
    },
  };
}
