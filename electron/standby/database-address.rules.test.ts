import { expect, test } from 'vitest';
import { certificatesOf, faultOfTyped, placeOf } from './database-address.rules.ts';

test.each([
  ['postgres://muster:secret@db.example:5432/team?sslmode=verify-full', 'db.example:5432', 'team'],
  ['postgresql://muster@[fd00::1]/my%20team', '[fd00::1]', 'my team'],
  ['postgres://muster@localhost/team?host=/run/postgresql', '/run/postgresql', 'team'],
  ['postgres://muster@db.example', 'db.example', 'muster'],
  ['postgres:///team', 'this machine', 'team'],
])('accepts %s, and shows neither user nor password', (address, host, database) => {
  expect(faultOfTyped(address)).toBeNull();
  expect(placeOf(address)).toEqual({ host, database });
});

test.each([
  ['mysql://a@db.example/team', 'must be one such as'],
  ['db.example', 'must be one such as'],
  ['postgres://a@db.example/te am', 'must be one such as'],
  ['postgres://a@db.example/%zz', 'must be one such as'],
  ['postgres://a@db.example%2eevil/team', 'must be one such as'],
  ['postgres://a@%2Frun%2Fpostgresql/team', 'must be one such as'],
  ['postgres://a@db.example/team?sslkey=/etc/shadow', '“sslkey”'],
  ['postgres://a@db.example/team?uselibpqcompat=true&sslmode=require', '“uselibpqcompat”'],
  ['postgres://a@db.example/team?port=1', '“port”'],
  ['postgres://a@db.example/team?host=evil.example', 'the folder of a socket'],
  ['postgres://a@db.example/team?sslmode=disable&sslmode=verify-full', 'twice'],
])('refuses %s', (address, sentence) => {
  expect(faultOfTyped(address)).toContain(sentence);
});

test('names the file whose certificates an address trusts', () => {
  expect(certificatesOf('postgres://a@db.example/team?sslrootcert=/etc/ca.crt')).toBe('/etc/ca.crt');
  expect(certificatesOf('postgres://a@db.example/team')).toBeNull();
});
