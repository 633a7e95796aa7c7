/** An agent that does nothing: it starts its bridge, gets the tools, prints the pid of the bridge, and stays. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { command, args, env } = JSON.parse(readFileSync('.mcp.json', 'utf8')).mcpServers.svc;
const bridge = spawn(command, args, {
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { ...process.env, ...env },
});
const say = (message: object): boolean =>
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const clientInfo = { name: 'bench', version: '1' };
say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
for await (const line of createInterface({ input: bridge.stdout })) {
  const { id } = JSON.parse(line);
  if (id === 1) {
    say({ method: 'notifications/initialized' });
    say({ id: 2, method: 'tools/list' });
  } else if (id === 2) console.log(`bridge ${bridge.pid}`);
}
