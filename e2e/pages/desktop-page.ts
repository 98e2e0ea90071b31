import type { Page } from 'playwright-core';

/** Waits until a desktop on a page has one color in the middle and in two corners. */
export async function showsColor(
  page: Page,
  color: readonly [number, number, number],
): Promise<void> {
  await page.waitForFunction((wanted) => {
    const canvas = document.querySelector('canvas');
    const context = canvas?.getContext('2d');
    if (!canvas || !context || canvas.width < 2) return false;
    const { width, height } = canvas;
    return [
      [width >> 1, height >> 1],
      [1, 1],
      [width - 2, height - 2],
    ].every(([x = 0, y = 0]) =>
      [...context.getImageData(x, y, 1, 1).data.subarray(0, 3)].every(
        (value, index) => value === wanted[index],
      ),
    );
  }, color);
}

/** Distance of the pointer's mark from the middle of the picture, as a share of its width. */
export const fromMiddle = (page: Page) =>
  page.evaluate(() => {
    const middleOf = (selector: string) => {
      const { left, top, width, height } =
        document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
      return { x: left + width / 2, y: top + height / 2, width };
    };
    const [picture, mark] = [middleOf('canvas'), middleOf('[data-pointer]')];
    return Math.hypot(picture.x - mark.x, picture.y - mark.y) / picture.width;
  });

/** All pixels of the desktop on a page. */
export const pixels = (page: Page) =>
  page.evaluate(() => document.querySelector('canvas')?.toDataURL('image/png') ?? '');
