/**
 * The configuration of a run's own CODEX_HOME: the person's, with the bridge, the instructions, and the
 * gateway added (specification/runner.md#registration).
 */
import type { BridgeCommand } from '../agent.ts';

export type Table = Readonly<Record<string, unknown>>;

const serverName = 'svc';
export const gatewayProvider = 'svc_gateway';
const vendorUrl = 'https://api.openai.com/v1';

/** Node starts in a second, or in ten on a busy machine. */
const startSeconds = 60;
/** Longer than the bridge waits for the runner. */
const callSeconds = 150;

export interface ConfigRequest {
  bridge: BridgeCommand;
  /** Base URL of the gateway; null keeps the person's provider. */
  modelUrl: string | null;
  instructions: string;
}

const tableOf = (value: unknown): Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the name of the active provider, profiles included. */
function providerName(person: Table): string {
  const profile = tableOf(tableOf(person.profiles)[textOf(person.profile) ?? '']);
  return textOf(profile.model_provider) ?? textOf(person.model_provider) ?? 'openai';
}

/** Returns the provider that the person has described; null for one that Codex includes. */
function ownProvider(person: Table): Table | null {
  const providers = tableOf(person.model_providers);
  const name = providerName(person);
  return Object.hasOwn(providers, name) ? tableOf(providers[name]) : null;
}

function withOwn(person: Table, instructions: string): string {
  const own = textOf(person.developer_instructions);
  return own === null ? instructions : `${own}\n\n${instructions}`;
}

/** Returns the content of a profile of its own file (`<name>.config.toml`), which takes precedence over config.toml. */
export const runProfile = (profile: Table, { instructions }: Pick<ConfigRequest, 'instructions'>): Table =>
  textOf(profile.developer_instructions) === null
    ? profile
    : { ...profile, developer_instructions: withOwn(profile, instructions) };

/** Returns the content of the run's config.toml. */
export function runConfig(person: Table, { bridge, modelUrl, instructions }: ConfigRequest): Table {
  const config: Record<string, unknown> = {
    ...person,
    // In a terminal, Codex would start a server of its own that outlives it and this home (seen on 0.169.0).
    features: { ...tableOf(person.features), daemon_auto_start: false },
    developer_instructions: withOwn(person, instructions),
    mcp_servers: {
      ...tableOf(person.mcp_servers),
      [serverName]: {
        command: bridge.command,
        args: [...bridge.args],
        env: { ...bridge.env },
        required: true,
        startup_timeout_sec: startSeconds,
        tool_timeout_sec: callSeconds,
        default_tools_approval_mode: 'approve',
      },
    },
  };
  if (modelUrl === null) return config;
  // With a custom provider, Codex posts at once; `openai_base_url` would try WebSocket first.
  const provider = ownProvider(person) ?? { name: 'OpenAI', requires_openai_auth: true };
  config.model_providers = {
    ...tableOf(person.model_providers),
    [gatewayProvider]: { ...provider, base_url: modelUrl, wire_api: 'responses', supports_websockets: false },
  };
  config.model_provider = gatewayProvider;
  const profile = textOf(person.profile);
  if (profile !== null) {
    const profiles = tableOf(person.profiles);
    const { model_provider: _, ...rest } = tableOf(profiles[profile]);
    config.profiles = { ...profiles, [profile]: rest };
  }
  return config;
}

/** How the person is logged in: with a key, with a ChatGPT account, or with nothing that a file shows. */
export type Login = 'key' | 'account' | 'none';

export function loginOf(auth: unknown): Login {
  const { OPENAI_API_KEY: key, tokens, auth_mode: mode } = tableOf(auth);
  if (textOf(mode)?.startsWith('chatgpt')) return 'account';
  if (textOf(key) !== null) return 'key';
  return tokens === undefined || tokens === null ? 'none' : 'account';
}

/** Returns where the person's Codex sends its model requests; null if a base URL cannot redirect it. */
export function upstreamUrl(person: Table, login: Login): string | null {
  const name = providerName(person);
  const own = ownProvider(person);
  if (own !== null) return textOf(own.base_url) ?? (name === 'openai' ? vendorUrl : null);
  if (name !== 'openai' || login === 'account') return null;
  return textOf(person.openai_base_url) ?? vendorUrl;
}

/** Whether Codex looks for its login in the keychain, which it keeps per home, so that a run's own home has none. */
export function needsKeychain(person: Table, login: Login): boolean {
  const store = person.cli_auth_credentials_store;
  const own = ownProvider(person);
  const needsLogin = own === null ? providerName(person) === 'openai' : own.requires_openai_auth === true;
  return needsLogin && (store === 'keyring' || (store === 'auto' && login === 'none'));
}
