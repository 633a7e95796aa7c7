/** The requests of channels as tests send them. Each returns its status, so that refusals can be checked. */
import type { TestBroker } from '../../../testing/test-broker.ts';

/** `team` is called for each request, because a test may have another one by then. */
export function channelRequests(team: () => TestBroker) {
  const send = async (by: string, method: string, path: string, body?: unknown) => {
    const reply = await team().fetch(by, path, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? null : JSON.parse(text) };
  };
  const create = (by: string, slug: string) => send(by, 'POST', '/channels', { slug });
  const rename = (by: string, slug: string, to: string) =>
    send(by, 'PATCH', `/channels/${slug}`, { slug: to });
  const archive = (by: string, slug: string) => send(by, 'DELETE', `/channels/${slug}`);
  const add = (by: string, slug: string, member: string, role?: string | null) =>
    send(by, 'POST', `/channels/${slug}/members`, { member, ...(role !== undefined && { role }) });
  const leave = (by: string, slug: string, member = by) =>
    send(by, 'DELETE', `/channels/${slug}/members/${member}`);
  const view = (by: string, slug: string) => team().as(by).call('channel', { params: { slug } });
  const rolesIn = async (slug: string) =>
    (await view('dan', slug)).members.map(({ member, role }) => `${member} ${role}`);
  const post = (by: string, id: string, body: string) =>
    send(by, 'POST', '/push', { body, data: { thread: `chan:${id}` } });
  const posted = async (by: string, id: string) => {
    const { status, body } = await send(by, 'GET', `/history?channel=${id}`);
    return status === 200 ? body.messages.map((message: { body: string }) => message.body) : status;
  };
  return { send, create, rename, archive, add, leave, view, rolesIn, post, posted };
}
