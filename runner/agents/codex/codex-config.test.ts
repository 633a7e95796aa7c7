import { describe, expect, it } from 'vitest';
import { loginOf, needsKeychain, runConfig, runProfile, upstreamUrl } from './codex-config.ts';

const request = {
  bridge: { command: 'node', args: [], env: {} },
  modelUrl: 'http://127.0.0.1:1/v1',
  instructions: 'i',
};
const vendor = 'https://api.openai.com/v1';

describe('the configuration of a run of Codex', () => {
  it('leaves the person’s provider alone without a gateway', () => {
    const config = runConfig({ model_provider: 'mine' }, { ...request, modelUrl: null });
    expect(config).toMatchObject({ model_provider: 'mine' });
    expect(config).not.toHaveProperty('model_providers');
  });

  it('keeps Codex from starting a server that outlives the run, and keeps the person’s other features', () => {
    const { features } = runConfig({ features: { mine: true, daemon_auto_start: true } }, request);
    expect(features).toEqual({ mine: true, daemon_auto_start: false });
  });

  it('points a login by key at the gateway', () => {
    expect(runConfig({}, request)).toMatchObject({
      model_provider: 'svc_gateway',
      model_providers: {
        svc_gateway: { base_url: request.modelUrl, wire_api: 'responses', requires_openai_auth: true },
      },
    });
  });

  it('keeps the settings of the user’s own provider, except its address', () => {
    const mine = { name: 'Mine', base_url: 'https://mine/v1', env_key: 'MINE', http_headers: { a: 'b' } };
    const person = { model_provider: 'mine', model_providers: { mine } };
    expect(runConfig(person, request)).toMatchObject({
      model_providers: { mine, svc_gateway: { ...mine, base_url: request.modelUrl } },
    });
    expect(upstreamUrl(person, 'none')).toBe('https://mine/v1');
  });

  it('takes precedence over the provider of the active profile', () => {
    const person = {
      profile: 'work',
      profiles: { work: { model: 'm', model_provider: 'mine' } },
      model_providers: { mine: { base_url: 'https://mine/v1' } },
    };
    expect(runConfig(person, request)).toMatchObject({ model_provider: 'svc_gateway' });
    expect(runConfig(person, request).profiles).toEqual({ work: { model: 'm' } });
    expect(upstreamUrl(person, 'key')).toBe('https://mine/v1');
  });
});

describe('a profile in a file of its own', () => {
  it('cannot replace the instructions of the run', () => {
    expect(runProfile({ developer_instructions: 'mine' }, request)).toEqual({
      developer_instructions: 'mine\n\ni',
    });
    expect(runProfile({ model: 'm' }, request)).toEqual({ model: 'm' });
  });
});

describe('the keychain of Codex', () => {
  it.each([
    [{ cli_auth_credentials_store: 'keyring' }, 'none', true],
    [{ cli_auth_credentials_store: 'keyring' }, 'key', true],
    [{ cli_auth_credentials_store: 'auto' }, 'none', true],
    [{ cli_auth_credentials_store: 'auto' }, 'key', false],
    [{ cli_auth_credentials_store: 'keyring', model_provider: 'ollama' }, 'none', false],
    [{}, 'none', false],
  ] as const)('with %j and a login by %s is needed: %s', (config, login, isNeeded) => {
    expect(needsKeychain(config, login)).toBe(isNeeded);
  });
});

describe('the address to which Codex sends its model requests', () => {
  it.each([
    [{ OPENAI_API_KEY: 'sk-1', tokens: null }, 'key'],
    [{ OPENAI_API_KEY: null, tokens: { access_token: 'x' } }, 'account'],
    [{ auth_mode: 'chatgpt', OPENAI_API_KEY: 'sk-1' }, 'account'],
    [{}, 'none'],
    ['text', 'none'],
  ] as const)('recognizes the login of %j as %s', (auth, login) => {
    expect(loginOf(auth)).toBe(login);
  });

  it.each([
    [{}, 'key', vendor],
    [{}, 'none', vendor],
    [{}, 'account', null],
    [{ openai_base_url: 'https://proxy/v1' }, 'key', 'https://proxy/v1'],
    [{ model_provider: 'ollama' }, 'none', null],
    [{ model_provider: 'constructor' }, 'key', null],
    [{ model_provider: 'mine', model_providers: { mine: {} } }, 'key', null],
  ] as const)('with %j and a login by %s is %s', (config, login, url) => {
    expect(upstreamUrl(config, login)).toBe(url);
  });
});
