/** Programs of the system that tests run: where they are, and how they are installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

export type Program = 'bash' | 'caddy' | 'chromium' | 'fish' | 'nginx' | 'postgres' | 'tmux' | 'zsh';

interface Place {
  paths: readonly string[];
  /** Names the program to use instead. */
  variable: string;
  debianPackage: string;
}

const places: Record<Program, Place> = {
  bash: { paths: ['/bin/bash', '/usr/bin/bash'], variable: 'BASH_BIN', debianPackage: 'bash' },
  caddy: {
    paths: ['/usr/bin/caddy', '/opt/homebrew/bin/caddy'],
    variable: 'CADDY_BIN',
    debianPackage: 'caddy',
  },
  chromium: {
    paths: [
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      '/usr/bin/google-chrome',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    ],
    variable: 'CHROMIUM_BIN',
    debianPackage: 'chromium',
  },
  fish: { paths: ['/usr/bin/fish', '/opt/homebrew/bin/fish'], variable: 'FISH_BIN', debianPackage: 'fish' },
  nginx: {
    paths: ['/usr/sbin/nginx', '/opt/homebrew/bin/nginx'],
    variable: 'NGINX_BIN',
    debianPackage: 'nginx',
  },
  postgres: {
    paths: [
      '/usr/local/bin/postgres',
      ...[18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin/postgres`),
      '/opt/homebrew/bin/postgres',
    ],
    variable: 'POSTGRES_BIN',
    debianPackage: 'postgresql',
  },
  tmux: { paths: ['/usr/bin/tmux', '/opt/homebrew/bin/tmux'], variable: 'TMUX_BIN', debianPackage: 'tmux' },
  zsh: { paths: ['/bin/zsh', '/usr/bin/zsh'], variable: 'ZSH_BIN', debianPackage: 'zsh' },
};

const pathOf = (program: Program): string | undefined =>
  process.env[places[program].variable] ?? places[program].paths.find(existsSync);

/** The remedy for a program that is missing. */
export function remedyFor(program: Program): string {
  const { debianPackage, variable } = places[program];
  return `apt-get install ${debianPackage}, or set ${variable}`;
}

/** Returns the path. @throws Error that says how to install a missing program. */
export function programPath(program: Program): string {
  const path = pathOf(program);
  if (path === undefined) throw new Error(`${program} is missing: ${remedyFor(program)}`);
  return path;
}

/** Returns whether the program is there. Root on Debian installs a missing one, which takes about a minute. */
export function provide(program: Program): boolean {
  if (pathOf(program) !== undefined) return true;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const name = places[program].debianPackage;
  console.log(`installing ${name} (apt-get)`);
  spawnSync('apt-get', ['update'], { stdio: 'ignore' });
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return pathOf(program) !== undefined;
}
