import { describe, expect, it } from 'vitest';
import { MemberPageQuery } from '#protocol/member.ts';
import { isPage, pageByName } from './member-pages.rules.ts';

const members = ['Ben', 'Zoe', 'ada', 'cy', 'dan'].map((name) => ({ name }));
const page = (query: object) => pageByName(members, MemberPageQuery.parse(query)).map(({ name }) => name);

describe('a page of members by name', () => {
  it.each([
    { name: 'the first page', query: { limit: '2' }, expected: ['Ben', 'Zoe'] },
    { name: 'the page that follows', query: { limit: '2', after: 'Zoe' }, expected: ['ada', 'cy'] },
    { name: 'everybody after a name', query: { after: 'ada' }, expected: ['cy', 'dan'] },
    { name: 'the names after one that nobody has', query: { after: 'bob' }, expected: ['cy', 'dan'] },
    { name: 'names before every other', query: { limit: '1', after: 'A' }, expected: ['Ben'] },
    { name: 'nothing after the last', query: { limit: '2', after: 'dan' }, expected: [] },
    { name: 'nothing after a name that follows the last', query: { after: 'zed' }, expected: [] },
  ])('is $name', ({ query, expected }) => {
    expect(page(query)).toEqual(expected);
  });

  it('is asked for with a limit or a name', () => {
    expect(isPage({})).toBe(false);
    expect(isPage(MemberPageQuery.parse({ limit: '1' }))).toBe(true);
    expect(isPage(MemberPageQuery.parse({ after: 'ada' }))).toBe(true);
  });
});
