import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskHeaders, maskJson, maskText, maskUrl } from './masking.rules.ts';

const base62 = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
const charset = (characters: readonly string[], minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
const word = (length: number, upTo = length) => charset(base62, length, upTo);
const base64url = (length: number, upTo = length) => charset([...base62, '_', '-'], length, upTo);
const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');

const jwt = fc
  .tuple(word(6), base64url(43))
  .map(([subject, signature]) => `${part({ alg: 'ES256' })}.${part({ sub: subject })}.${signature}`);
const pem = word(200, 1200).map(
  (body) =>
    `-----BEGIN RSA PRIVATE KEY-----\n${body.replaceAll(/.{64}/g, '$&\n')}\n-----END RSA PRIVATE KEY-----`,
);
/** A secret, and what of it must not be found afterwards. */
const secrets: Record<string, fc.Arbitrary<string>> = {
  'sk-': word(20, 60).map((text) => `sk-${text}`),
  'sk-ant-': base64url(40, 100).map((text) => `sk-ant-api03-${text}`),
  ghp_: word(36).map((text) => `ghp_${text}`),
  gho_: word(36).map((text) => `gho_${text}`),
  ghs_: word(36).map((text) => `ghs_${text}`),
  github_pat_: fc.tuple(word(22), word(59)).map(([a, b]) => `github_pat_${a}_${b}`),
  'xoxb-': fc.tuple(word(12), word(24)).map(([a, b]) => `xoxb-${a}-${b}`),
  AKIA: charset([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'], 16).map((text) => `AKIA${text}`),
  JWT: jwt,
  PEM: pem,
  svc_: base64url(43).map((text) => `svc_${text}`),
};
const secret = fc.oneof(...Object.values(secrets));
/** The middle: enough to tell that it survived in part. */
const coreOf = (text: string): string => {
  const lines = text.split('\n');
  const line = lines[Math.floor(lines.length / 2)] ?? '';
  return line.slice(-Math.min(12, line.length));
};
const around = fc.constantFrom(
  '',
  ' ',
  '\n',
  '"',
  "'",
  '=',
  ': ',
  '(',
  '\t',
  '/',
  ',',
  'é',
  '\u2028',
  '<b>',
  '`',
);
const prose = fc
  .array(
    fc.constantFrom(
      'the',
      'tokens',
      'task-list',
      'is',
      'done:',
      'maxTokens',
      '12',
      'secret',
      'a.b',
      '{',
      '\n',
    ),
  )
  .map((words) => words.join(' '));

function expectGone(found: unknown, planted: string): void {
  const text = JSON.stringify(found);
  expect(text).toContain('masked');
  expect(text).not.toContain(coreOf(planted));
}

describe('masking', () => {
  for (const [form, arbitrary] of Object.entries(secrets)) {
    it(`removes every part of a secret of the form ${form} in text, wherever it is`, () => {
      fc.assert(
        fc.property(prose, around, arbitrary, around, prose, (before, left, planted, right, after) => {
          expectGone(maskText(before + left + planted + right + after), planted);
          const line = JSON.stringify({ at: 1, data: { text: before + left + planted + right + after } });
          const shown = maskText(line);
          expectGone(shown, planted);
          expect(() => JSON.parse(shown)).not.toThrow();
          expectGone(maskText(JSON.stringify({ body: line })), planted);
        }),
      );
    });
  }

  it('removes every part of a secret in nested JSON: as a value, as a name, within a text, within JSON in a text', () => {
    const nested = (planted: fc.Arbitrary<unknown>) =>
      fc
        .tuple(planted, fc.array(fc.constantFrom('list', 'field', 'text'), { maxLength: 12 }))
        .map(([value, steps]) =>
          steps.reduce<unknown>((inner, step) => {
            if (step === 'list') return [1, inner, null];
            return step === 'field' ? { a: 'b', inner } : { arguments: JSON.stringify(inner) };
          }, value),
        );
    const placed = fc
      .tuple(secret, prose, around)
      .chain(([planted, text, left]) =>
        fc.tuple(
          fc.constant(planted),
          nested(fc.constantFrom(planted, text + left + planted, { [planted]: 1 }, { x: [planted, text] })),
        ),
      );
    fc.assert(
      fc.property(placed, ([planted, value]) => {
        expectGone(maskJson(value), planted);
        expectGone(maskText(JSON.stringify(value)), planted);
      }),
    );
  });

  it('removes every part of a secret that was written in base64, in one line or in several', () => {
    fc.assert(
      fc.property(prose, around, secret, prose, fc.boolean(), (before, left, planted, after, isWrapped) => {
        const encoded = Buffer.from(before + left + planted + after).toString('base64');
        const text = isWrapped ? encoded.replaceAll(/.{76}/g, '$&\n') : encoded;
        const masked = [
          maskText(`data: ${text}\nend.`),
          maskText(JSON.stringify({ text })),
          maskJson([text]),
        ];
        for (const found of masked) {
          const shown = JSON.stringify(found);
          expect(shown).toContain('masked');
          expect(shown).not.toContain(encoded.slice(encoded.length >> 1).slice(0, 12));
        }
        const line = maskText(JSON.stringify({ text: `first\n${text}\n` }));
        expect(JSON.parse(line).text.trimEnd()).toBe('first\n[masked]');
      }),
    );
  });

  it('removes every part of a secret in an address: in its path, its parameters, its user part, its fragment', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom('a', 'next', 'q[]'), (planted, name) => {
        const encoded = encodeURIComponent(planted);
        for (const url of [
          `https://host/v1/${encoded}/x?a=b`,
          `/v1/messages?beta=true&${name}=${encoded}`,
          `https://somebody:${encoded}@host/path`,
          `https://${encoded}@host/path`,
          `https://host/#${name}=${encoded}`,
        ])
          expectGone(maskUrl(url), planted);
      }),
    );
  });

  it('masks headers that carry credentials whatever their value is, and secrets in every other header', () => {
    expect(maskUrl('https://host/?Subscription-Key=abcdef')).toBe('https://host/?Subscription-Key=[masked]');
    const names = [
      'Authorization',
      'cookie',
      'Set-Cookie',
      'x-api-key',
      'X-Goog-Api-Key',
      'x-auth',
      'X-My-Secret',
    ];
    for (const name of [...names, 'proxy-authorization', 'x-amz-security-token', 'api-key', 'openai-token'])
      expect(maskHeaders({ [name]: 'plain value' })).toEqual({ [name]: '[masked]' });
    expect(maskHeaders({ 'set-cookie': ['a=b', 'c=d'] })).toEqual({ 'set-cookie': ['[masked]', '[masked]'] });
    fc.assert(
      fc.property(secret, around, (planted, left) => {
        expectGone(
          maskHeaders({ referer: `https://host/${left}${planted}`, accept: ['a', planted] }),
          planted,
        );
      }),
    );
  });

  it.each([
    ['{"api_key":"hunter2!","x":1}', '{"api_key":"[masked]","x":1}'],
    ['{ "refreshToken" : "a\\"b\\\\" , "x":"y"}', '{ "refreshToken" : "[masked]" , "x":"y"}'],
    ['{"password":12345}', '{"password":"[masked]"}'],
    ['{"a":"{\\"password\\":12345}"}', '{"a":"{\\"password\\":\\"[masked]\\"}"}'],
    [
      '{"a":"{\\"client_secret\\":\\"x\\\\\\"y\\",\\"b\\":1}"}',
      '{"a":"{\\"client_secret\\":\\"[masked]\\",\\"b\\":1}"}',
    ],
    ['grant_type=x&client_secret=abc&b=c', 'grant_type=x&client_secret=[masked]&b=c'],
    ['see https://host/cb?code=abc&x=1.', 'see https://host/cb?code=[masked]&x=1.'],
    ['/cb?next=/a?token=abc', '/cb?next=/a?token=[masked]'],
    ['const token = "a1b2c3d4e5"; x()', 'const token = "[masked]"; x()'],
    ['password: s3same # old', 'password: [masked] # old'],
    ['{"a":"client_secret: \\"Q9s3same77xy\\"\\n"}', '{"a":"client_secret: \\"[masked]\\"\\n"}'],
    ['curl -u me:s3same https://h', 'curl -u me:[masked] https://h'],
    ['machine h login me password s3same', 'machine h login me password [masked]'],
    ['svc_session=abcdefgh1234; Path=/', 'svc_session=[masked]; Path=/'],
    ['X-SVC-Setup-Key: abcdefgh1234', 'X-SVC-Setup-Key: [masked]'],
    ['https://hooks.slack.com/services/T0/B0/abcdefghijklmnop', 'https://hooks.slack.com/services/[masked]'],
    ['A=1\nexport DB_PASSWORD="two words"\nB=2', 'A=1\nexport DB_PASSWORD="[masked]"\nB=2'],
    ['Authorization: Basic dTpw\r\nAccept: x', 'Authorization: Basic [masked]\r\nAccept: x'],
    [
      "curl -H 'Authorization: abc' -H 'x-api-key: k' u",
      "curl -H 'Authorization: [masked]' -H 'x-api-key: [masked]' u",
    ],
    ['Cookie: a=b; c=d\nHost: h', 'Cookie: [masked]\nHost: h'],
    ['postgres://me:pw@db/x', 'postgres://me:[masked]@db/x'],
    ['bearer abc123abc123abc1', 'bearer [masked]'],
  ])('masks a value whose name says that it is secret: %s', (text, shown) => {
    expect(maskText(text)).toBe(shown);
    expect(maskText(shown)).toBe(shown);
  });

  it('masks fields of JSON by their names, with lists, and keeps counts', () => {
    expect(
      maskJson({
        access_token: 'x',
        passwords: ['a', 'b'],
        token: { type: 'string', description: 'what' },
        max_tokens: 5,
        inputTokens: 7,
        cookie: '',
      }),
    ).toEqual({
      access_token: '[masked]',
      passwords: ['[masked]', '[masked]'],
      token: { type: 'string', description: 'what' },
      max_tokens: 5,
      inputTokens: 7,
      cookie: '',
    });
  });

  it('does not change text without secrets', () => {
    for (const text of [
      'The task-management-of-the-things needs a disk-space-check-first and a risk-free-mask-layer-here.',
      'Authorization: the act of allowing. A cookie: something sweet; the token: a coin. Bearer authentication-scheme.',
      'const token = await next(); if (a == b && c != d) { secret(); } fetch(url, { credentials })',
      '{"max_tokens":4096,"usage":{"input_tokens":12,"output_tokens":3},"stop_reason":"end_turn","tokenizer":"x"}',
      'mcp__svc__objectives_complete is a tool; 019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071 is an id; obj_0123456789 too.',
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'https://host.example/a/b?page=2&sort=name#top eyJustin.went.home -----BEGIN CERTIFICATE-----',
    ])
      expect(maskText(text)).toBe(text);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abc XYZ.,!?"{}\\\n()[]') }), (text) => {
        expect(maskText(text)).toBe(text);
        expect(maskJson({ a: [text] })).toEqual({ a: [text] });
      }),
    );
  });

  it('changes nothing that is already masked', () => {
    fc.assert(
      fc.property(secret, prose, around, (planted, text, left) => {
        const once = maskText(`${text}${left}${planted} x-api-key: a token=${text}`);
        expect(maskText(once)).toBe(once);
      }),
    );
  });

  it.each(['SVC_RUNNER_KEY', 'SVC_KEK', 'SVC_TOKEN'])('knows Muster’s own variables: %s', (name) => {
    const value = 'A'.repeat(20) + '-_9z'.repeat(6);
    const file = JSON.stringify({ mcpServers: { svc: { env: { [name]: value } } } });
    for (const text of [`HOME=/root\n${name}=${value}\n`, `export ${name}=${value}`, file])
      expect(maskText(text)).not.toContain(value);
    expect(JSON.stringify(maskJson({ env: { [name]: value } }))).not.toContain(value);
  });

  it('leaves out what is nested too deeply for the broker', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(JSON.stringify(maskJson(deep)).length).toBeLessThan(300);
  });
});
