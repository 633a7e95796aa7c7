/**
 * The page that the console's window shows while the broker does not run. The console itself comes from the broker,
 * so this page stands alone. Pure.
 */
import type { BrokerState } from './tray-model.rules.ts';

/** The address that starts the broker again, below the console's origin. */
export const retryPath = '/try-again';

/** The page loads nothing and runs nothing. */
export const faultPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const style = `
  :root { color-scheme: light dark; --ground: #f6f6f5; --text: #1d1f20; --soft: #5b6062; --accent: #2b6556; --on: #fff; }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #141618; --text: #eceeee; --soft: #a3a9ab; --accent: #6fc2a9; --on: #10201b; }
  }
  body { margin: 0; min-height: 100vh; display: flex; align-items: center; justify-content: center;
    background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
  main { max-width: 34rem; padding: 1.5rem; }
  h1 { margin: 0 0 0.5rem; font-size: 1.25rem; }
  p { margin: 0 0 1rem; overflow-wrap: anywhere; }
  .soft { color: var(--soft); }
  a { display: inline-block; padding: 0.45rem 1rem; border-radius: 6px; background: var(--accent); color: var(--on);
    font-weight: 600; text-decoration: none; }
  a:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
`;

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign);

/** Returns the title and the content as HTML. */
function contentOf(state: BrokerState, logPath: string): [string, string] {
  switch (state.kind) {
    case 'failed':
      return [
        'Muster could not start its broker',
        `<p>${escaped(state.reason)}</p>
         <p><a href="${retryPath}" autofocus>Try again</a></p>
         <p class="soft">The log is in ${escaped(logPath)}. “Open log” in the tray opens it.</p>`,
      ];
    case 'waiting':
      return [
        'Muster is waiting for a team',
        `<p>The database of this machine has no team yet. Start Muster on the machine that has the team, with the same database; the login then opens here.</p>
         <p class="soft">To set up a team on this machine instead, quit Muster, ${
           state.isKept
             ? 'delete desktop-database.safe beside svc.json'
             : 'remove SVC_STANDBY_URL from its environment'
         }, and start it again.</p>`,
      ];
    case 'stopping':
      return ['Muster is stopping…', '<p class="soft">Everything that it acknowledged is stored.</p>'];
    default:
      return ['Muster is starting…', '<p class="soft">The console opens as soon as the broker runs.</p>'];
  }
}

/** Returns a whole HTML document. `logPath` is where the person finds more. */
export function faultPage(state: BrokerState, logPath: string): string {
  const [title, content] = contentOf(state, logPath);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>
<body><main role="${state.kind === 'failed' ? 'alert' : 'status'}"><h1>${title}</h1>${content}</main></body></html>`;
}
