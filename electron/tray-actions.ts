/** What the items of the tray do, with one function per kind of action. */
import type { TrayAction, TrayActionKind } from './tray-model.rules.ts';

export type TrayActions = { [Kind in TrayActionKind]: (action: TrayAction<Kind>) => void };

export function runTrayAction<Kind extends TrayActionKind>(
  actions: TrayActions,
  action: TrayAction<Kind>,
): void {
  actions[action.kind](action);
}
