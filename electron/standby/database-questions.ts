/** The questions of the app to the person before it connects to a database that a page named. */
import { type BrowserWindow, dialog, type WebContents } from 'electron';
import { Refusal } from '../refusal.ts';
import { certificatesOf, faultOfTyped, placeOf } from './database-address.rules.ts';

export interface Question {
  message: string;
  detail: string;
  act: string;
}

/** An address in words for people. */
export interface DatabaseTarget {
  /** Of the host and of what is trusted there. */
  key: string;
  name: string;
  /** A sentence about certificates, or empty. */
  trust: string;
}

/** @throws Refusal if the app takes no such address from a page. */
export function targetOf(url: string): DatabaseTarget {
  const fault = faultOfTyped(url);
  const place = placeOf(url);
  if (fault !== null || place === null) throw new Refusal('bad_request', fault ?? 'this is no address');
  const certificates = certificatesOf(url);
  return {
    key: JSON.stringify([place.host, certificates]),
    name: `“${place.database}” on ${place.host}`,
    trust: certificates === null ? '' : ` It trusts the certificates in “${certificates}”.`,
  };
}

export interface DatabaseQuestions {
  /** A page can neither pile up questions nor connections. @throws Refusal while other work is under way. */
  oneAtATime<T>(work: () => Promise<T>): Promise<T>;
  isConfirmed(page: WebContents, question: Question): Promise<boolean>;
  /** Asks before the first connection to this host. @throws Refusal if the person does not allow it. */
  allowConnection(page: WebContents, target: DatabaseTarget): Promise<void>;
}

export function createDatabaseQuestions(
  windowOf: (page: WebContents) => BrowserWindow | null,
): DatabaseQuestions {
  /** Those to which the person let the app connect. */
  const allowed = new Set<string>();
  let isBusy = false;

  async function isConfirmed(page: WebContents, { message, detail, act }: Question): Promise<boolean> {
    const window = windowOf(page);
    if (window === null) return false;
    const buttons = [act, 'Cancel'];
    const options = { type: 'warning', message, detail, buttons, defaultId: 1, cancelId: 1 } as const;
    return (await dialog.showMessageBox(window, options)).response === 0;
  }

  return {
    async oneAtATime(work) {
      if (isBusy) throw new Refusal('conflict', 'the app is already asking or testing');
      isBusy = true;
      try {
        return await work();
      } finally {
        isBusy = false;
      }
    },
    isConfirmed,
    async allowConnection(page, { key, name, trust }) {
      const question = {
        message: `Connect to the database ${name}?`,
        detail: `Muster logs in there with the user and the password of the address.${trust}`,
        act: 'Connect',
      };
      if (!allowed.has(key) && !(await isConfirmed(page, question)))
        throw new Refusal('forbidden', 'nothing was tested, because you did not allow the connection');
      allowed.add(key);
    },
  };
}
