import { describe, expect, test } from 'vitest';
import { urlFault } from './standby-settings.ts';

describe('the address of a database', () => {
  test.each([
    'postgres://muster@db.example/team?sslmode=verify-full',
    'postgres://muster@db.example/team?uselibpqcompat=true&sslmode=verify-full',
    'postgres://muster@127.0.0.1/team',
    'postgres://muster@localhost/team?sslmode=disable',
    'postgres://muster@db.example/team?host=/run/postgresql',
  ])('accepts %s', (address) => {
    expect(urlFault(address)).toBeNull();
  });

  test.each([
    ['mysql://a@db.example/team', 'must be an address such as'],
    ['postgres://a@db.example/team', 'would not be encrypted'],
    ['postgres://a@db.example/team?sslmode=no-verify', 'would not be encrypted'],
    // The client of the database takes the last one of each name, and no host that is empty.
    ['postgres://a@db.example/team?sslmode=verify-full&sslmode=disable', 'would not be encrypted'],
    ['postgres://a@db.example/team?host=', 'would not be encrypted'],
    ['postgres://a@localhost/team?host=localhost&host=db.example', 'would not be encrypted'],
    ['postgres://a@db.example/team?uselibpqcompat=true&sslmode=require', 'pose as it'],
    ['postgres://a@db.example/team?uselibpqcompat=true&sslmode=verify-ca', 'pose as it'],
  ])('refuses %s', (address, sentence) => {
    expect(urlFault(address)).toContain(sentence);
  });
});
