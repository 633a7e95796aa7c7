/** Carries out what a person enters in chat, one order after another. */
import { basename } from 'node:path';
import type { HttpClient } from '#client/http-client.ts';
import { nearestWord } from '#platform/nearest-word.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { formatScope } from '#protocol/scope.ts';
import { channelIdOf } from '../channel-name.ts';
import { CommandFailure } from '../command-failure.ts';
import { upload } from '../files/upload.ts';
import { oneLine } from '../terminal-text.ts';
import { helpText, type Order } from './commands.ts';
import type { Conversation } from './conversation.ts';
import type { Screen } from './screen.ts';
import type { Scope } from './transcript.ts';

/** The conversation to which lines go. */
export interface Target {
  label: string;
  scope: Scope;
}

export const targetOf = (member: string | undefined): Target =>
  member === undefined ? { label: '#general', scope: {} } : { label: member, scope: { with: member } };

export interface CarryOutOptions {
  client: BrokerClient;
  http: HttpClient;
  name: string;
  names: readonly string[];
  target: Target;
  screen: Screen;
  conversation: Conversation;
}

/** Returns what carries out one order; it resolves with `false` if the person wants to leave. */
export function createCarryOut(options: CarryOutOptions): (order: Order) => Promise<boolean> {
  const { client, http, name, names, screen, conversation } = options;
  let { target } = options;

  function send(body: string, attachments?: string[]): void {
    const { with: to, channel } = target.scope;
    conversation.outbox.add({
      body,
      ...(to !== undefined && { to }),
      ...(channel !== undefined && {
        data: { thread: formatScope({ kind: 'channel', channelId: channel }) },
      }),
      ...(attachments !== undefined && { attachments }),
    });
  }

  async function turnTo(next: Target): Promise<void> {
    await conversation.enter(next.scope);
    target = next;
    screen.setPrompt(promptOf(name, target));
  }

  async function sendFile(path: string, body = basename(path)): Promise<void> {
    const { entry } = await upload(path, {
      http,
      path: `/${name}/${basename(path)}`,
      collide: 'suffix',
      // Its progress would be drawn over the prompt.
      screen: { isTTY: false, write: () => true },
    });
    send(body, [entry.path]);
  }

  async function showObjectives(): Promise<void> {
    const { objectives } = await client.call('objectives', { query: { assignee: name, limit: '50' } });
    for (const { id, status, title } of objectives)
      screen.show(`  ${oneLine(id)}  ${status}  ${oneLine(title)}`);
    screen.status(objectives.length === 0 ? 'no objective is assigned to you' : 'newest first, up to 50');
  }

  return async (order) => {
    switch (order.kind) {
      case 'text':
        send(order.body);
        break;
      case 'help':
        screen.show(helpText());
        break;
      case 'with':
        refuseUnknownMember(order.member, names);
        await turnTo(targetOf(order.member));
        break;
      case 'channel': {
        const slug = order.slug.replace(/^#/, '');
        const channel = await channelIdOf(client, slug);
        await turnTo({ label: `#${slug}`, scope: { channel } });
        break;
      }
      case 'file':
        await sendFile(order.path, order.body);
        break;
      case 'objectives':
        await showObjectives();
        break;
      case 'quit':
        return false;
    }
    return true;
  };
}

export const promptOf = (name: string, { label }: Target): string => oneLine(`${name} → ${label}> `);

/** @throws CommandFailure that names the member who was probably meant, or all of them. */
export function refuseUnknownMember(member: string, names: readonly string[]): void {
  if (names.includes(member)) return;
  const nearest = nearestWord(member, names);
  throw new CommandFailure(
    `there is no member "${member}". ${nearest === undefined ? `The members are ${names.join(', ')}.` : `Did you mean "${nearest}"?`}`,
  );
}
