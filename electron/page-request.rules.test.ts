import { expect, test } from 'vitest';
import { pageHeaders, pageRequestKind } from './page-request.rules.ts';

test('treats operations of the contract as calls, and live streams as feeds', () => {
  expect(pageRequestKind('GET', '/roster')).toBe('call');
  expect(pageRequestKind('POST', '/enroll/approve')).toBe('call');
  expect(pageRequestKind('GET', '/subscribe?name=ada&events=all')).toBe('feed');
  expect(pageRequestKind('GET', '/members/kim/activity/stream')).toBe('feed');
});

test.each([
  ['GET', 'http://evil.example/roster'],
  ['GET', '//evil.example/roster'],
  ['GET', '/members/../roster'],
  ['GET', '/members/%2e%2e/roster'],
  ['GET', '/roster\r\nx: y'],
  ['GET', '/roster#a'],
  ['DELETE', '/roster'],
  ['GET', '/nowhere'],
])('refuses %s %j', (method, url) => {
  expect(pageRequestKind(method, url)).toBeNull();
});

test('drops credentials, Host, and Origin of the page', () => {
  const headers = {
    Cookie: 'a',
    Authorization: 'b',
    Host: 'c',
    Origin: 'd',
    'Content-Type': 'application/json',
  };
  expect(pageHeaders(headers)).toEqual({ 'content-type': 'application/json' });
});
