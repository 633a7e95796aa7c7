/**
 * The tokens of runs: created by the session of this desktop, and revoked at the end. A file keeps their ids, never the tokens, so that the next start can revoke those that a crash left behind.
 */
import { readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';
import { codeOf } from '#platform/error-text.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';

export interface RunToken {
  member: string;
  id: string;
  /** Exists only in memory and in the environment of the runner. */
  bearer: string;
}

export interface RunTokens {
  /** @throws BrokerError as the broker sent it: status 403 for a member without members.manage. */
  create(member: string): Promise<RunToken>;
  /** Never throws. A token that could not be revoked is tried again at the next start. */
  revoke(token: RunToken): Promise<void>;
  /** Revokes the tokens that an earlier start left behind, if the session may do so. */
  revokeLeft(): Promise<void>;
}

export interface RunTokensDeps {
  path: string;
  /** Returns a client that uses the session of this desktop, or this bearer token. */
  clientOf(credential: 'session' | { bearer: string }): BrokerClient;
  log: { warn(details: object, message: string): void };
}

const Kept = z.object({
  schema: z.literal(1),
  tokens: z.array(z.object({ member: z.string(), id: z.uuid() })),
});
type KeptToken = z.infer<typeof Kept>['tokens'][number];

const label = (): string => `run on ${hostname()}`.slice(0, limits.tokenLabel);

export async function createRunTokens(deps: RunTokensDeps): Promise<RunTokens> {
  const { path, clientOf, log } = deps;
  /** The content of the file; changes are applied in their order. */
  let kept: KeptToken[] = await read();
  const left = [...kept];
  const inTurn = createSerialQueue();

  async function read(): Promise<KeptToken[]> {
    try {
      return Kept.parse(JSON.parse(await readFile(path, 'utf8'))).tokens;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        log.warn({ err: error }, 'the list of tokens of earlier runs cannot be read');
      return [];
    }
  }

  const write = (): Promise<void> =>
    inTurn(() =>
      kept.length === 0
        ? rm(path, { force: true })
        : replacePrivateFile(path, JSON.stringify({ schema: 1, tokens: kept })),
    );

  async function forget(id: string): Promise<void> {
    kept = kept.filter((one) => one.id !== id);
    await write().catch((error: unknown) =>
      log.warn({ err: error }, 'the list of tokens could not be saved'),
    );
  }

  async function revoke({ member, id, bearer }: RunToken): Promise<void> {
    try {
      await clientOf({ bearer }).call('revokeToken', { params: { name: member, id } });
    } catch (error) {
      // 401: the token was already revoked, or has expired.
      if (!(error instanceof BrokerError && error.status === 401)) {
        log.warn(
          { err: error, tokenId: id },
          'the token of a run could not be revoked; the next start tries again',
        );
        return;
      }
    }
    await forget(id);
  }

  return {
    async create(member) {
      const { token, tokenInfo } = await clientOf('session').call('createRunToken', {
        params: { name: member },
        body: { label: label() },
      });
      const made = { member, id: tokenInfo.id, bearer: token };
      kept = [...kept, { member, id: made.id }];
      try {
        await write();
      } catch (error) {
        await revoke(made);
        throw error;
      }
      return made;
    },
    revoke,
    async revokeLeft() {
      for (const one of [...left]) {
        try {
          await clientOf('session').call('revokeToken', { params: { name: one.member, id: one.id } });
          log.warn({ tokenId: one.id, member: one.member }, 'the token of an interrupted run was revoked');
        } catch (error) {
          // 404: the token is gone. After any other error, another session or the next start tries again.
          if (!(error instanceof BrokerError && error.status === 404)) {
            log.warn({ err: error, tokenId: one.id }, 'the token of an earlier run could not be revoked yet');
            return;
          }
        }
        left.splice(left.indexOf(one), 1);
        await forget(one.id);
      }
    },
  };
}
