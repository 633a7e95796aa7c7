import { expect, test } from 'vitest';
import { createSessionJar } from './session-jar.ts';

test('the session of a reply is kept and sent along, and forgotten when a reply ends it', () => {
  const changes: (string | null)[] = [];
  const jar = createSessionJar((value) => changes.push(value), null);
  expect(jar.headers()).toEqual({});
  jar.take('svc_session=abc; Path=/; HttpOnly; Max-Age=60');
  jar.take(['other=1', 'svc_session=abc; Path=/']);
  expect(jar.headers()).toEqual({ cookie: 'svc_session=abc' });
  jar.take('svc_session=; Path=/; Max-Age=0');
  expect(jar.headers()).toEqual({});
  expect(changes).toEqual(['abc', null]);
});
