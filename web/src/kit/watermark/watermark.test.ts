import { expect, it } from 'vitest';
import { GRAY, OPACITY } from './mark-canvas.ts';

/** Relative luminance of a gray level, as WCAG 2 defines it. */
const luminance = (level: number) => {
  const part = level / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};
const contrast = (one: number, other: number) => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
const LEVELS = Array.from({ length: 256 }, (_, level) => level);

it.each(Object.entries(OPACITY))(
  'keeps a contrast of 4.5 under a letter of strength %s for every text with 7',
  (_strength, opacity) => {
    const under = (level: number) => level * (1 - opacity) + GRAY * opacity;
    for (const ground of LEVELS)
      for (const text of LEVELS)
        if (contrast(ground, text) >= 7)
          expect(contrast(under(ground), under(text))).toBeGreaterThanOrEqual(4.5);
  },
);
