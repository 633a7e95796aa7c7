/** The program that an agent starts as its MCP server in tests without the `svc` command. */
import process from 'node:process';
import { runMcpBridge } from '../../runner/bridge/mcp-bridge.ts';

process.exitCode = await runMcpBridge(process.env, '1.0.0');
