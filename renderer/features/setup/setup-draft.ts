/** The answers that the wizard has so far. The tab keeps it until the broker is set up, so that a reload loses nothing. */
import { useState } from 'react';
import type { TotpSecret } from '../members/totp-enrollment.tsx';
import type { Operator } from './operator-step.tsx';
import type { NewTeam } from './team-step.tsx';

export interface SetupDraft {
  key: string;
  step: number;
  team: NewTeam;
  admin: Operator;
  /** Proposed by the broker, which has not stored it. */
  secret: TotpSecret | null;
  /** The broker may have been set up with it. */
  isSent: boolean;
}

const storageKey = 'muster.setup';
const empty: SetupDraft = {
  key: '',
  step: 0,
  team: { name: '', directive: '', brief: '' },
  admin: { name: '', title: 'Operator' },
  secret: null,
  isSent: false,
};

/** The key is in the fragment, which browsers do not send. It is removed from the address immediately. */
function keyOfAddress(): string {
  const key = new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
  if (key !== '') history.replaceState(null, '', location.pathname);
  return key;
}

function storedDraft(): SetupDraft {
  try {
    return { ...empty, ...JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') };
  } catch {
    return empty;
  }
}

function begin(): SetupDraft {
  const key = keyOfAddress();
  const stored = storedDraft();
  return store({ ...stored, key: key || stored.key });
}

function store(draft: SetupDraft): SetupDraft {
  sessionStorage.setItem(storageKey, JSON.stringify(draft));
  return draft;
}

/** Leaves only the fact that the broker is set up, so that a reload of the last page opens the console. */
export const finishDraft = (): void => sessionStorage.setItem(storageKey, JSON.stringify({ isSent: true }));

export const removeDraft = (): void => sessionStorage.removeItem(storageKey);

/** The change is stored before it is shown. */
export function useSetupDraft(): [SetupDraft, (change: Partial<SetupDraft>) => void] {
  const [draft, setDraft] = useState(begin);
  return [draft, (change) => setDraft(store({ ...storedDraft(), ...change }))];
}
