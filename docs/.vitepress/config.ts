/** The documentation site: the guides and the specification, served at /docs of a broker (ADR 0059). */

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { defineConfig } from 'vitepress';
import { listPackages } from '../../bin/packing/bundle.ts';
import { resources } from '../resources.ts';

const isPage = (path: string): boolean =>
  path === 'index.md' || /^(?:guides|specification)\/.*\.md$/.test(path);

interface Token {
  type: string;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
}

/** Whether a link leads to a file of the repository that is not on the site. */
const leavesSite = (href: string, page: string): boolean =>
  !/^(?:[a-z]+:|#|\/)/.test(href) && !isPage(join(dirname(page), href.replace(/#.*$/, '')));

/** Keeps the text of links that lead to files outside of the site. */
function withoutLinksOutside(tokens: readonly Token[], page: string): void {
  for (const token of tokens) {
    let isLeaving = false;
    token.children =
      token.children?.filter((child) => {
        if (child.type === 'link_open') isLeaving = leavesSite(child.attrGet('href') ?? '', page);
        const stays = !(isLeaving && /^link_(?:open|close)$/.test(child.type));
        if (child.type === 'link_close') isLeaving = false;
        return stays;
      }) ?? null;
  }
}

/** As GitHub and docs/check.ts make anchors. */
const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

const escaped = (code: string): string =>
  code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const packages = listPackages();

const guide = (text: string, name: string) => ({ text, link: `/guides/${name}` });

export default defineConfig({
  base: '/docs/',
  title: 'Muster',
  description: 'The hub where people and coding agents work as one team.',
  lang: 'en-US',
  // It would insert a style into the page, which the policy of the broker forbids.
  appearance: { disableTransition: false },
  cacheDir: '../node_modules/.cache/vitepress',
  srcExclude: ['{generated,decisions,grafana}/**', '{benchmarks,style,operations,security}.md'],
  // One file has the text that it would otherwise write into each page.
  metaChunk: true,
  // The page of the console has the icon.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  vite: { logLevel: 'warn', build: { assetsInlineLimit: 0 }, plugins: [packages.plugin] },
  // For the notices of licenses in the npm package.
  buildEnd: ({ outDir }) => writeFileSync(`${outDir}.packages.json`, JSON.stringify(packages.folders())),
  markdown: {
    anchor: { slugify },
    // Colors would be styles in attributes, which the policy of the broker forbids.
    highlight: (code) => `<pre v-pre><code>${escaped(code)}</code></pre>`,
    config(md) {
      md.core.ruler.push('links-outside', (state) =>
        withoutLinksOutside(state.tokens as unknown as Token[], String(state.env.relativePath)),
      );
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/guides/getting-started' },
      { text: 'HTTP API', link: '/guides/http-api/' },
      { text: 'Specification', link: '/specification/README' },
    ],
    sidebar: [
      {
        text: 'Guides',
        items: [
          guide('Getting started', 'getting-started'),
          guide('Teams on the LAN', 'teams-on-the-lan'),
          guide('Agents', 'agents'),
          guide('The desktop app', 'desktop'),
          guide('Operations', 'operations'),
          guide('Several machines', 'several-machines'),
          guide('Security', 'security'),
          guide('Troubleshooting', 'troubleshooting'),
          guide('Questions', 'faq'),
          guide('For agents: the skill', 'SKILL'),
        ],
      },
      {
        text: 'HTTP API',
        collapsed: true,
        items: [
          guide('Overview', 'http-api/'),
          ...resources.map(({ id, title }) => guide(title, `http-api/${id}`)),
        ],
      },
      { text: 'Specification', link: '/specification/README' },
    ],
  },
});
