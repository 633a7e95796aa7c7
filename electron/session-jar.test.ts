import { expect, test } from 'vitest';
import { createSessionJar } from './session-jar.ts';

test('keeps the session of a reply, sends it along, and drops it when a reply ends it', () => {
  const changes: (string | null)[] = [];
  const jar = createSessionJar((value) => changes.push(value));
  expect(jar.headers()).toEqual({});
  jar.exchange().keepCookie('svc_session=abc; Path=/; HttpOnly; Max-Age=60');
  jar.exchange().keepCookie(['other=1', 'svc_session=abc; Path=/']);
  // The same cookie under the name with scheme and port is for browsers, which share cookies among ports.
  jar.exchange().keepCookie(['svc_session=abc; Path=/', 'svc_session_http_80=abc; Path=/']);
  expect(jar.exchange().headers).toEqual({ cookie: 'svc_session=abc' });
  jar.exchange().keepCookie('svc_session=; Path=/; Max-Age=0');
  expect(jar.headers()).toEqual({});
  expect(changes).toEqual(['abc', null]);
});

test('does not restore an earlier session from a late reply', () => {
  const changes: (string | null)[] = [];
  const jar = createSessionJar((value) => changes.push(value));
  jar.restore('ben');
  const late = jar.exchange();
  jar.exchange().keepCookie('svc_session=; Path=/; Max-Age=0');
  late.keepCookie('svc_session=ben; Path=/');
  jar.exchange().keepCookie('svc_session=ada; Path=/');
  late.keepCookie('svc_session=ben; Path=/');
  expect(jar.value).toBe('ada');
  expect(changes).toEqual([null, 'ada']);
});
