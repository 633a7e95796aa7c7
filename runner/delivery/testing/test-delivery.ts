/** A delivery with its state in a temporary folder, and what it brings and reports. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bundle } from '../../agents/agent.ts';
import { openRunState, type RunState } from '../../session/run-state.ts';
import { createDelivery, type DeliveryDeps } from '../delivery.ts';
import { sealOf } from '../message-seal.ts';

const folders: string[] = [];
const states: RunState[] = [];

/** Creates a folder for the state of a run, which `removeFolders` removes. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-run-'));
  folders.push(folder);
  return folder;
}

/** Removes the folders of a test. Pass it to `afterEach`. */
export async function removeFolders(): Promise<void> {
  // A state that is still being written would put a file into its folder while that is removed.
  for (const state of states.splice(0)) await state.flush().catch(() => undefined);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, maxRetries: 10 });
}

/** The parts of a delivery that are the same in each test. No model refuses, and messages of agents do not wake. */
export const plainDeps = {
  messageContext: () => ({
    self: 'ben',
    roleOf: () => undefined,
    sealOf,
    slugOf: () => undefined,
    objectives: [],
  }),
  wakes: ({ agent }) => agent === undefined,
  onRefusal: () => undefined,
  random: () => 1,
  schedule: () => () => undefined,
  now: () => 1,
  log: () => {},
} satisfies Partial<DeliveryDeps>;

/** Creates a delivery to an agent that can be woken. `folder` is the folder of an earlier run. */
export async function openTestDelivery(
  over: { folder?: string; take?: (bundle: Bundle) => Promise<void>; report?: () => Promise<void> } = {},
) {
  const folder = over.folder ?? (await createFolder());
  const state = await openRunState(folder, 'http://broker', 'ben');
  states.push(state);
  const bundles: Bundle[] = [];
  const reported: [string, string][] = [];
  const handedOver: string[] = [];
  let wake = () => {};
  const delivery = createDelivery({
    state,
    ...plainDeps,
    onHandOver: (ids) => handedOver.push(...ids),
    async bring(bundle) {
      await over.take?.(bundle);
      bundles.push(bundle);
      wake();
    },
    async report(id, evidence) {
      reported.push([id, evidence]);
      await over.report?.();
    },
  });
  const until = async (count: number) => {
    while (bundles.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { folder, state, delivery, bundles, reported, handedOver, until };
}
