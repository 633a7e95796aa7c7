/** The model's address, as the person has set it. */
import { AgentError } from '../agents/agent.ts';

/**
 * @throws AgentError for an address to which no request can be sent; it does not repeat the address, which
 *   may contain a password.
 */
export function modelAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url;
  throw new AgentError(
    'the address of the model in --model-url or in the agent’s settings is not valid. Write it like https://api.example.com/v1, without a user or password.',
  );
}

/**
 * Returns the agent's path after the path of the address; a query of the address comes before the agent's
 * own.
 */
export function pathAt(address: URL, asked: string): string {
  const [path = '', ...query] = asked.split('?');
  const parts = [address.search.slice(1), query.join('?')].filter((part) => part !== '');
  const base = address.pathname.replace(/\/+$/, '') + path || '/';
  return parts.length === 0 && !asked.includes('?') ? base : `${base}?${parts.join('&')}`;
}
