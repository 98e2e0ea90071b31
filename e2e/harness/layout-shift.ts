import type { BrowserContext, Page } from 'playwright-core';

/**
 * Records the layout shift of every page, as browsers measure it. Call it before the first
 * navigation.
 */
export async function countLayoutShift({
  context,
}: {
  readonly context: BrowserContext;
}): Promise<void> {
  await context.addInitScript(() => {
    let sum = 0;
    const moved: string[] = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        // Shifts in answer to a key or a click do not count.
        if (Reflect.get(entry, 'hadRecentInput') === true) continue;
        sum += Number(Reflect.get(entry, 'value'));
        for (const { node } of Reflect.get(entry, 'sources') as { node?: Element }[])
          moved.push(node?.outerHTML?.slice(0, 120) ?? '');
      }
    }).observe({ type: 'layout-shift', buffered: true });
    const layoutShift = () => {
      const seen = { sum, moved: moved.splice(0) };
      sum = 0;
      return seen;
    };
    Object.assign(globalThis, { layoutShift });
  });
}

/** Returns how far the page moved by itself since the last call, and which parts moved first. */
export function layoutShift(
  page: Page,
): Promise<{ readonly sum: number; readonly moved: readonly string[] }> {
  return page.evaluate(() =>
    (Reflect.get(globalThis, 'layoutShift') as () => { sum: number; moved: string[] })(),
  );
}

/** Reports a page whose layout shifts noticeably without input. */
export async function movesOf(page: Page, where: string): Promise<string[]> {
  const { sum, moved } = await layoutShift(page);
  return sum < MOST_SHIFT
    ? []
    : [`${where}: moves by ${sum.toFixed(3)}: ${moved.slice(0, 3).join(' | ')}`];
}

/** Highest sum of layout shifts that users do not notice. */
const MOST_SHIFT = 0.02;
