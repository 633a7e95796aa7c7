/** Quits the app once: it ends the parts in the order of the quit plan, then the process. */
import { dialog } from 'electron';
import { createQuitPlan, type QuitPlan } from './quit-plan.ts';
import { quitQuestion } from './quit-question.rules.ts';

/** How the process ends after its parts. */
export interface QuitWay {
  /** The exit code; 0 by default. The highest one that was asked for counts. */
  code?: number;
  /** Ends the process in place of the exit, as an installer does. If it rejects, the app starts again. */
  instead?: () => Promise<never>;
}

export interface Quitting extends Pick<QuitPlan, 'add'> {
  readonly hasBegun: boolean;
  /** Whether every part has ended, so that Electron may end the process. */
  readonly hasEnded: boolean;
  /** Never rejects. While the app is already quitting, only `code` counts. */
  quit(way?: QuitWay): Promise<void>;
  /** Asks the person first if agents are running. `agents`: the number of them. */
  askToQuit(agents: number, way?: QuitWay): Promise<void>;
}

export interface QuittingDeps {
  exit(code: number): void;
  /** Starts the app again after the exit. `failure` is what `instead` reported. */
  relaunch(failure: unknown): void;
  log: { error(details: object, message: string): void };
}

export function createQuitting({ exit, relaunch, log }: QuittingDeps): Quitting {
  const plan = createQuitPlan();
  let underWay: Promise<void> | null = null;
  let hasEnded = false;
  let isAsking = false;
  let exitCode = 0;

  async function run({ instead }: QuitWay): Promise<void> {
    const report = await plan.run();
    if (report.failed.length > 0) log.error(report, 'some parts of the app did not end in order');
    hasEnded = true;
    await instead?.().catch((error: unknown) => {
      log.error({ err: error }, 'the app could not be ended as intended; it starts again');
      relaunch(error);
    });
    exit(exitCode);
  }

  function quit(way: QuitWay = {}): Promise<void> {
    exitCode = Math.max(exitCode, way.code ?? 0);
    underWay ??= run(way);
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
    async askToQuit(agents, way) {
      if (await isConfirmed(agents)) await quit(way);
    },
  };
}
