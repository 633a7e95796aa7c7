/** Types the commands of the guides for a shell, each guide in order with a team of its own, and compares what they promise. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../broker/testing/free-port.ts';
import { root } from '../testing/build-once.ts';
import { commandsOf } from './blocks.ts';
import { type Keyboard, keyboard, type Typed } from './typed.ts';

let folder: string;
let keys: Keyboard;
let broker: Typed | undefined;
let url: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-guide-')));
  for (const name of ['bin', 'team', 'project']) mkdirSync(join(folder, name));
  symlinkSync(join(root, 'bin/muster'), join(folder, 'bin/muster'));
  broker = undefined;
  keys = keyboard(join(folder, 'team'), {
    PATH: [join(folder, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: folder,
    TERM: 'xterm',
    SHELL: '/bin/sh',
    // Long lists go straight to the screen.
    PAGER: 'cat',
    NO_COLOR: '1',
    SVC_PORT: '0',
  });
});
afterEach(() => {
  keys.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

type Act = (command: string) => unknown;
/** The first that fits a command types it. */
type Acts = readonly (readonly [RegExp, Act])[];

/** @throws Error if nothing fits a command: each one of a guide is typed, or listed with the reason why not. */
async function typeGuide(name: string, acts: Acts): Promise<void> {
  for (const { heading, command } of commandsOf(`docs/guides/${name}.md`)) {
    const act = acts.find(([pattern]) => pattern.test(command))?.[1];
    if (act === undefined) throw new Error(`${name}, ${heading}: no test types "${command}"`);
    await act(command);
  }
}

const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/;

const typedElsewhere: Act = () => undefined;
const notOnThisMachine: Act = () => undefined;

const runs: Act = (command) => keys.run(command);
const says =
  (promise: RegExp): Act =>
  async (command) =>
    expect(await keys.run(command)).toMatch(promise);

/** For "muster serve", also once more after the configuration changed. */
async function serve(): Promise<void> {
  await broker?.interrupt();
  broker = keys.type('muster serve');
  [, url = ''] = await broker.shows(/listening on (http:\S+)/);
  keys.env.SVC_URL = url;
}

/** Without a terminal to ask. */
async function setUp(command = 'muster setup --team Lab --admin ada --save --json'): Promise<void> {
  const said = await keys.run(`${command} < /dev/null`);
  keys.env.SVC_TOKEN = /svc_[\w-]{43}/.exec(said)?.[0] ?? '';
}

const createsMember: Act = async (command) => {
  const [, name = ''] = /members create (\S+)/.exec(command) ?? [];
  expect(await keys.run(command)).toMatch(new RegExp(`created ${name}\\s+token: svc_`));
};

describe.skipIf(process.platform !== 'linux')('the guide', () => {
  it('getting-started.md', async () => {
    await typeGuide('getting-started', [
      [/^npm |^muster (demo|setup)$/, typedElsewhere],
      [/^muster setup --team/, setUp],
      [/^muster serve/, serve],
      [/^muster roster/, says(/ada/)],
      [/^muster recent/, says(/Good morning/)],
      [
        /^muster chat/,
        async (command) => {
          const chat = keys.type(command);
          await chat.shows(/Good morning/);
          chat.answer('/quit');
          expect(await chat.ended).toBe(0);
        },
      ],
      [/^muster doctor/, says(/ok +live stream/)],
      [/^muster push "Good/, says(/broadcast/)],
      [/^muster push "Everybody/, says(/broadcast/)],
      [/^muster channels create/, says(/release/)],
      [/^echo /, runs],
      [/^muster fs put/, says(/stored \/ada\/plan\.txt/)],
      [/^muster channels post/, says(/posted to #release/)],
      [/^muster objectives create/, says(/assigned to ada: Ship it/)],
      [/^muster objectives list/, says(/Ship it/)],
      [/^muster fs ls/, says(/ada/)],
      [/^muster search plan/, says(/The plan is in my home/)],
      [/^muster login --console/, says(/#login=/)],
      [/^export SVC_TOKEN=<the token/, () => expect(keys.env.SVC_TOKEN).toMatch(/^svc_/)],
      [/^curl .*\/push$/, (command) => says(/"delivery"/)(command.replace('http://127.0.0.1:8717', url))],
      [
        /^curl -N .*\/subscribe/,
        async (command) => {
          const stream = keys.type(command.replace('http://127.0.0.1:8717', url));
          await stream.shows(/event: |"type"/);
          await stream.interrupt();
        },
      ],
    ]);
  });

  it('teams-on-the-lan.md', async () => {
    await setUp();
    const port = await freePort();
    let fingerprint = '';
    let device: Typed | undefined;
    let code = '';
    /** A device asks, from the home of somebody else. */
    async function connects(command: string): Promise<void> {
      const here = command
        .replace('<address>:8718', `127.0.0.1:${port}`)
        .replace('sha256:<...>', fingerprint);
      device = keys.type(`HOME=${join(folder, 'project')} ${here}`);
      [, code = ''] = await device.shows(/Code: (\S+)/);
    }
    let connect = '';
    await typeGuide('teams-on-the-lan', [
      [
        /^muster setup --https/,
        async (command) => {
          const said = await keys.run(`${command} --https-port ${port}`);
          [fingerprint = ''] = /sha256:[0-9a-f]{64}/.exec(said) ?? [];
        },
      ],
      [/^muster serve/, serve],
      [
        /^muster connect/,
        (command) => {
          connect = command;
          return connects(command);
        },
      ],
      [/^muster members create/, createsMember],
      [/^muster enroll pending/, (command) => says(new RegExp(code))(command)],
      [
        /^muster enroll approve/,
        async (command) => {
          if (device === undefined) await connects(connect);
          await says(/approved for (ben|cy)/)(command.replace('BCDF-GHJK', code));
          expect(await device?.ended).toBe(0);
          device = undefined;
        },
      ],
      [
        /^muster members enroll-totp/,
        async (command) => {
          const asks = keys.type(command);
          await asks.shows(/Current code/);
          asks.answer('');
          expect(await asks.ended).toBe(1);
        },
      ],
      [/^muster members tokens/, says(/enroll/)],
      [
        /^muster members revoke/,
        async (command) => {
          const [id = ''] = uuid.exec(await keys.run('muster members tokens ben')) ?? [];
          await says(/revoked/)(command.replace('<token-id>', id));
        },
      ],
      [/^muster members delete/, (command) => says(/deleted ben/)(`${command} --yes`)],
    ]);
  });

  it('agents.md', async () => {
    await setUp();
    await serve();
    writeFileSync(join(folder, 'team/agent.sh'), '#!/bin/sh\necho "quiet: $1"\n');
    chmodSync(join(folder, 'team/agent.sh'), 0o755);
    const isMissing =
      (install: string): Act =>
      async (command) =>
        expect(await keys.run(command, 1)).toContain(`npm install -g ${install}`);
    await typeGuide('agents', [
      [/^muster members create/, createsMember],
      [/^muster run claude-code/, isMissing('@anthropic-ai/claude-code')],
      [/^muster run codex/, isMissing('@openai/codex')],
      [/^muster run \.\/agent\.sh/, says(/quiet: --quiet/)],
      [/^muster members update ben --wakes mentions/, says(/updated ben: .*wakes=mentions/)],
      [/^muster held list/, says(/no .*held/i)],
      // There is no held post to name.
      [/^muster held (release|drop) <id>/, typedElsewhere],
      [/^muster team set --max-agent-hops 20/, runs],
      [
        /^muster doctor claude-code/,
        async (command) => expect(await keys.run(command, 1)).toContain('@anthropic-ai/claude-code'),
      ],
      [/^muster prune-activity/, runs],
    ]);
  });

  it('operations.md, as far as it needs no systemd and no container', async () => {
    const state = join(folder, 'state');
    const backups = join(folder, 'backups');
    keys.env.HOME = state;
    let hold = '';
    const here = (command: string) =>
      command
        .replaceAll('/var/lib/muster', state)
        .replaceAll('/mnt/backup/muster', backups)
        .replaceAll('/etc/muster', folder)
        .replaceAll('/opt/muster/bin/muster', 'muster')
        .replaceAll(/^sudo |-o (?:muster|"\$\(id -un\)") |-g muster /g, '');
    const passphrase = 'correct horse battery staple';
    const withKey: Act = (command) => keys.run(`SVC_BACKUP_PASSPHRASE='${passphrase}' ${here(command)}`);
    const done: Act = (command) => keys.run(here(command));
    const promises =
      (promise: RegExp): Act =>
      (command) =>
        says(promise)(here(command));
    const stop = async () => {
      await broker?.interrupt();
      broker = undefined;
    };
    await typeGuide('operations', [
      [
        /docker|MUSTER_HOST|^git |^npm |^cd |useradd|chown|daemon-reload|^systemctl|^sudo systemctl .*backup/,
        notOnThisMachine,
      ],
      [/^muster\(\)|^sudoedit/, notOnThisMachine],
      [
        /^sudo tee .*paths\.env/,
        (command) => {
          for (const [, name = '', value = ''] of here(command).matchAll(/^(SVC_\w+)=(.*)$/gm))
            keys.env[name] = value;
        },
      ],
      [
        /^muster setup --save/,
        async () => {
          await setUp();
          await keys.run(`muster setup --https --https-port ${await freePort()}`);
        },
      ],
      [/^sudo systemctl (stop|disable --now) muster$/, stop],
      [/^sudo systemctl (start|restart|enable --now) muster$/, serve],
      [
        /^muster serve --begin-anew/,
        async (command) => {
          await stop();
          // The commands below need the team of before.
          const kept = `${state}.kept`;
          cpSync(state, kept, { recursive: true });
          rmSync(join(state, 'main.db'));
          broker = keys.type(command);
          await broker.shows(/listening on/);
          await stop();
          rmSync(state, { recursive: true });
          renameSync(kept, state);
          await serve();
        },
      ],
      [
        /^muster repair/,
        async (command) => {
          await stop();
          await promises(/main: whole\s+activity: whole/)(command);
          await serve();
        },
      ],
      [/^muster doctor/, promises(/ok +live stream/)],
      [/^muster (backup --with-key|restore .*with-key)/, withKey],
      [
        /^muster restore .*move/,
        async (command) => {
          // On the other machine, the folder is empty.
          await keys.run(`mv ${state} ${state}.first && mkdir ${state}`);
          await withKey(command);
        },
      ],
      [/^muster (backup|restore)/, done],
      [/^sudo (install|mv|cp|rm) /, done],
      [/^muster setup --(new-vapid|https)/, done],
      [/^muster members enroll-totp <name>/, typedElsewhere],
      [/^echo "SVC_METRICS/, (command) => keys.run(here(command).replace('| sudo tee', '| tee'))],
      [/^echo /, done],
      [/audit --verify --pin/, promises(/holds|complete|verified/)],
      [/audit --(export|kind)/, done],
      [/^muster prune-activity/, done],
      [
        /^muster retention hold/,
        async (command) => {
          await keys.run('muster members create ben --role-title Engineer');
          [hold = ''] = uuid.exec(await keys.run(command)) ?? [];
        },
      ],
      [/^muster retention release/, (command) => keys.run(command.replace(uuid, hold))],
      [
        /^muster retention set --channel/,
        async (command) => {
          await keys.run('muster channels create random');
          await keys.run(command);
        },
      ],
      [/^muster retention (set|get)/, done],
    ]);
  });
});
