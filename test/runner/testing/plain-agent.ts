/**
 * The smallest possible agent, for `muster run <command>`: finds the bridge in .mcp.json, uses the team's tools,
 * and ends with code 3. With `recent`, it waits until the runner knows of messages, reads them, and stays;
 * with `stay`, it stays. With `blind`, it calls a tool that it has not listed.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const { mcpServers } = JSON.parse(readFileSync('.mcp.json', 'utf8'));
const { command, args, env } = mcpServers.svc;
const client = new Client({ name: 'plain-agent', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, env }));
const [to = 'ada', mode = 'end'] = process.argv.slice(2);
const tools = mode === 'blind' ? [] : (await client.listTools()).tools;
if (mode === 'recent')
  for (let content: unknown = []; !Array.isArray(content) || content.length < 2; )
    ({ content } = await client.callTool({ name: 'roster', arguments: {} }));
const result = await client.callTool({
  name: 'send',
  arguments: { to, body: `I have ${tools.length} tools` },
});
console.log(
  JSON.stringify({
    blocks: result.content,
    environment: Object.keys(process.env).filter((name) => /^(?:SVC|MALLOC)_/.test(name)),
  }),
);
if (mode === 'recent') {
  const recent = await client.callTool({ name: 'recent', arguments: { with: to } });
  console.log(JSON.stringify({ blocks: recent.content }));
}
if (mode === 'recent' || mode === 'stay') setInterval(() => undefined, 1000);
else {
  await client.close();
  process.exit(3);
}
