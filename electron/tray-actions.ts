/** The actions of the tray's items, with one function per kind of action. */
import type { TrayAction, TrayActionKind } from './tray-model.rules.ts';

export type TrayActions = { [Kind in TrayActionKind]: (action: TrayAction<Kind>) => void };

export function runTrayAction<Kind extends TrayActionKind>(
  actions: TrayActions,
  action: TrayAction<Kind>,
): void {
  actions[action.kind](action);
}
