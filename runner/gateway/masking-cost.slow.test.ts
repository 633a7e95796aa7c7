import { describe, expect, it } from 'vitest';
import { cpuGrowth, proportional } from '#platform/testing/cpu-growth.ts';
import { maskText, maskUrl } from './masking.rules.ts';

describe('masking', () => {
  it('takes time in proportion to the text, whatever the text is', () => {
    const pieces = [
      ...[
        'eyJ',
        'a.',
        'sk-',
        '-',
        '\\',
        '"',
        '\\"',
        '"token":',
        '"token":"',
        '\\"token\\":\\"',
        '://',
        '://a:',
        'a-',
      ],
      ...[
        '?a=',
        '&token=',
        '?',
        '=',
        'cookie:',
        'authorization:',
        'bearer ',
        'key-',
        ' export ',
        'ghp_',
        'eyJ.',
      ],
      ...[
        '-----BEGIN RSA PRIVATE KEY-----',
        '-----BEGIN ',
        '-----END PRIVATE KEY-----',
        '%20',
        'AKIA',
        'A_',
        '_token=',
      ],
      ...[
        'eyJaaaaaaaaaaaaaaaaaaaa.',
        'x-api-key:',
        '"a":',
        ' ',
        '\n',
        'svc_',
        'a',
        '1',
        '[masked]',
        '@',
        '"password":1',
      ],
      ...[
        'token=',
        'token: ',
        'token="',
        'token=`a ',
        'token\\":\\"',
        'password="a b ',
        'token value=',
        'token, "',
        '<password>',
        'token aaaaaaaaaaaaaaaa1',
        ' -u a:b ',
        'curl -u a:',
        'mysql -p',
        '--a-token x',
        'login password ',
        "IDENTIFIED BY '",
        `token=${'abcdef.'.repeat(40)}! `,
        `token=${'a-1'.repeat(80)}! `,
        `password: "${'A b '.repeat(60)}! "`,
        'hooks.slack.com/services/',
        '12345678:AA',
      ],
      ...[
        'Private-Lines: 4\nAAAA\n',
        'recovery phrase: abc ',
        'http -a a:',
        ' -U a%',
        'auth=("a", "',
        'Client("a", "',
        'net use a ',
        'sqlplus a/',
        'htpasswd -b a ',
        'echo a:',
        'echo a|',
        '://aaaaaaaaaaaaaaaaaaaa1',
        '"d":"aaaaaaaaaaaaaaaaaaaaaaaa',
        '$2y$',
        '\na:11:a:a:',
      ],
    ];
    for (const piece of pieces) {
      const maskFilled = (length: number): void => {
        const text = piece.repeat(Math.ceil(length / piece.length));
        maskText(text);
        maskUrl(`/x?${text}`);
      };
      expect(cpuGrowth(maskFilled), piece).toBeLessThan(proportional);
    }
  });
});
