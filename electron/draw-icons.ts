/**
 * Draws the icons in `resources/` and those of the console from the mark, with Chromium. Run `node
 * electron/draw-icons.ts` after changing the mark. The tray icon is the mark in one color, and its dot shows
 * the state.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const mark = readFileSync(join(root, 'renderer/icons/mark.svg'), 'utf8');
const ground = '#2f6f5e';

const inkByShade = { light: '#28292e', dark: '#f0f0ee', template: '#000000' };
const dotByState = { idle: null, attention: '#de8c14', error: '#cc3030', offline: null };
const trayPoints = 16;

/** macOS uses only the alpha channel, and colors alone tell nobody anything, so the signs differ in form. */
function traySvg(state: keyof typeof dotByState, shade: keyof typeof inkByShade): string {
  const ink = inkByShade[shade];
  const dot = dotByState[state];
  const color = shade === 'template' ? ink : dot;
  const sign =
    state === 'error'
      ? `<path d="M20 20l10 10M30 20L20 30" stroke="${color}" stroke-width="4.4" stroke-linecap="round"/>`
      : `<circle cx="25" cy="25" r="6.5" fill="${color}"/>`;
  const m = `<path d="M4 27V9l12 10L28 9v18" fill="none" stroke="${ink}" stroke-width="4.4" stroke-linecap="round" stroke-linejoin="round"/>`;
  // A gap around the sign keeps it visible on the letter, which may have the same color.
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><defs><mask id="gap"><rect width="32" height="32" fill="#fff"/>${
    dot === null ? '' : '<circle cx="25" cy="25" r="9.5" fill="#000"/>'
  }</mask></defs><g mask="url(#gap)" opacity="${state === 'offline' ? 0.45 : 1}">${m}</g>${
    dot === null ? '' : sign
  }</svg>`;
}

interface Picture {
  file: string;
  svg: string;
  size: number;
  padding?: number;
  /** Behind the mark, `ground` if there is a padding. */
  behind?: string;
}

const icoSizes = [16, 32, 48, 256];
const icoPart = (size: number): string => `resources/icon-${size}.png`;

const pictures: Picture[] = [
  { file: 'resources/icon.png', svg: mark, size: 1024 },
  // macOS expects 824 of 1024 points, with nothing around them.
  { file: 'resources/icon-mac.png', svg: mark, size: 1024, padding: 100, behind: 'transparent' },
  ...icoSizes.map((size) => ({ file: icoPart(size), svg: mark, size })),
  { file: 'renderer/public/assets/icon-192.png', svg: mark, size: 192 },
  { file: 'renderer/public/assets/icon-512.png', svg: mark, size: 512 },
  { file: 'renderer/public/assets/icon-maskable-512.png', svg: mark, size: 512, padding: 64 },
];
for (const state of ['idle', 'attention', 'error', 'offline'] as const)
  for (const shade of ['light', 'dark', 'template'] as const)
    for (const scale of [1, 2]) {
      const name = `${state}-${shade}${scale === 2 ? '@2x' : ''}.png`;
      pictures.push({
        file: `resources/tray/${name}`,
        svg: traySvg(state, shade),
        size: trayPoints * scale,
      });
    }

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_BIN ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
for (const { file, svg, size, padding = 0, behind = padding > 0 ? ground : 'transparent' } of pictures) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const inside = size - 2 * padding;
  await page.setContent(
    `<body style="margin:0;background:${behind}"><div style="padding:${padding}px;width:${inside}px;height:${inside}px">${svg.replace('<svg ', '<svg width="100%" height="100%" ')}</div></body>`,
  );
  mkdirSync(dirname(join(root, file)), { recursive: true });
  await page.screenshot({ path: join(root, file), omitBackground: true });
  await page.close();
}
await browser.close();
writeFileSync(join(root, 'resources/icon.ico'), icoOf(icoSizes));
for (const size of icoSizes) rmSync(join(root, icoPart(size)));
console.log(`${pictures.length} pictures drawn`);

/** An icon of Windows: a header, an entry of 16 bytes for each picture, and the pictures as PNG. */
function icoOf(sizes: readonly number[]): Buffer {
  const images = sizes.map((size) => readFileSync(join(root, icoPart(size))));
  const header = Buffer.alloc(6 + 16 * sizes.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(sizes.length, 4);
  let offset = header.length;
  images.forEach((image, at) => {
    const entry = 6 + 16 * at;
    // 256 is written as 0.
    header.writeUInt8((sizes[at] ?? 0) % 256, entry);
    header.writeUInt8((sizes[at] ?? 0) % 256, entry + 1);
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(image.length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += image.length;
  });
  return Buffer.concat([header, ...images]);
}
