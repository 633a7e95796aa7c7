/** The answers of the desktop app, as hooks that poll while they are shown. Each is null in a browser. */
import { useQuery } from '@tanstack/react-query';
import type { DesktopBridge } from '../../../electron/bridge.ts';
import { answerOf, desktopBridge } from '../../data/desktop-bridge.ts';

interface Asked<T> {
  queryKey: string[];
  ask: (bridge: DesktopBridge) => Promise<T>;
  everyMs: (last: T | null | undefined) => number;
}

function useBridgeState<T>({ queryKey, ask, everyMs }: Asked<T>) {
  const bridge = desktopBridge();
  return useQuery({
    queryKey,
    queryFn: () => (bridge === null ? null : ask(bridge)),
    staleTime: 0,
    retry: false,
    refetchInterval: ({ state }) => bridge !== null && everyMs(state.data),
  });
}

/** `isElsewhere`: this machine stands by, and backups belong to the active machine. */
async function readBackups(bridge: DesktopBridge) {
  const [view, standby] = await Promise.all([
    answerOf(bridge.backupState()),
    answerOf(bridge.standbyState()),
  ]);
  return { ...view, isElsewhere: standby?.role === 'standing by' };
}

export type AppBackups = Awaited<ReturnType<typeof readBackups>>;

export const backupKey = ['backup-state'];
export const lanKey = ['lan'];

export const useBackupState = () =>
  useBridgeState({
    queryKey: backupKey,
    ask: readBackups,
    everyMs: (last) => (last?.isRunning ? 1000 : 30_000),
  });

export const useLanState = () =>
  useBridgeState({ queryKey: lanKey, ask: (bridge) => answerOf(bridge.lanState()), everyMs: () => 5000 });

/** Null also for a machine that is the only one. */
export const useStandbyState = () =>
  useBridgeState({
    queryKey: ['standby'],
    ask: (bridge) => answerOf(bridge.standbyState()),
    everyMs: () => 3000,
  });
