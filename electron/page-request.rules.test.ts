import { expect, test } from 'vitest';
import { pageHeaders, pageRequestKind } from './page-request.rules.ts';

test('operations of the contract are calls, live streams are feeds', () => {
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
])('%s %j is nothing a page may ask', (method, url) => {
  expect(pageRequestKind(method, url)).toBeNull();
});

test('credentials, host and origin of the page are dropped', () => {
  const headers = {
    Cookie: 'a',
    Authorization: 'b',
    Host: 'c',
    Origin: 'd',
    'Content-Type': 'application/json',
  };
  expect(pageHeaders(headers)).toEqual({ 'content-type': 'application/json' });
});
