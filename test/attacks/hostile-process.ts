/** Starts the process of a hostile member, and lets it attack in turns. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServedBroker } from '../crash/served-broker.ts';

export interface HostileMember {
  readonly isOn: boolean;
  /** It attacks, or does nothing until the next turn. */
  turn(isOn: boolean): void;
  end(): void;
}

const script = fileURLToPath(new URL('./hostile-member.ts', import.meta.url));

/** It does nothing before its first turn. */
export function startHostileMember({ url, token }: ServedBroker, name: string): HostileMember {
  const child = fork(script, {
    detached: true,
    env: { PATH: process.env.PATH, HOSTILE_URL: url, HOSTILE_NAME: name, HOSTILE_TOKEN: token(name) },
  });
  let isOn = false;
  child.kill('SIGSTOP');
  return {
    get isOn() {
      return isOn;
    },
    turn(next) {
      isOn = next;
      child.kill(isOn ? 'SIGCONT' : 'SIGSTOP');
    },
    end: () => void child.kill('SIGKILL'),
  };
}
