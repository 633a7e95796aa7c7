/** The tray's icon, drawn: a ring of people seen from above, and a dot that tells the state. Pixels are BGRA as the engine takes them. */
import type { TrayIcon } from './tray-model.rules.ts';

export type Shade = 'light' | 'dark' | 'template';

type Colour = readonly [red: number, green: number, blue: number];

const inkByShade: Record<Shade, Colour> = { light: [40, 42, 46], dark: [240, 240, 238], template: [0, 0, 0] };
const dotByIcon: Record<TrayIcon, Colour | null> = {
  idle: null,
  attention: [222, 140, 20],
  error: [204, 48, 48],
  offline: null,
};

/** `size` × `size` pixels. On macOS (`template`) only coverage counts; a state is then told by the dot's presence. */
export function drawTrayIcon(icon: TrayIcon, shade: Shade, size: number): Buffer {
  const pixels = Buffer.alloc(size * size * 4);
  const ink = inkByShade[shade];
  const dot = dotByIcon[icon];
  const centre = (size - 1) / 2;
  const ring = size * 0.36;
  const stroke = size * 0.09;
  const put = (x: number, y: number, [red, green, blue]: Colour, cover: number): void => {
    if (cover <= 0) return;
    const alpha = Math.min(1, cover);
    // The engine wants colours multiplied by their coverage.
    pixels.set(
      [blue, green, red].map((part) => Math.round(part * alpha)).concat(Math.round(alpha * 255)),
      (y * size + x) * 4,
    );
  };
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const away = Math.hypot(x - centre, y - centre);
      const coverage = stroke - Math.abs(away - ring) + 0.5;
      put(x, y, ink, Math.min(1, coverage) * (icon === 'offline' ? 0.45 : 1));
      if (dot !== null) {
        const fromDot = Math.hypot(x - size * 0.74, y - size * 0.74);
        if (fromDot < size * 0.3) pixels.fill(0, (y * size + x) * 4, (y * size + x + 1) * 4);
        put(x, y, shade === 'template' ? ink : dot, size * 0.24 - fromDot + 0.5);
      }
    }
  return pixels;
}
