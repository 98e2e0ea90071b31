import type { BrowserContext, Page } from 'playwright-core';

/** A part of a page that moved. */
interface ShiftSource {
  readonly node: Node | null;
  readonly previousRect: DOMRectReadOnly;
  readonly currentRect: DOMRectReadOnly;
}

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
        const value = Number(Reflect.get(entry, 'value'));
        sum += value;
        const [source] = Reflect.get(entry, 'sources') as readonly ShiftSource[];
        if (!source) continue;
        const { node, previousRect, currentRect } = source;
        const pixels = Math.round(currentRect.y - previousRect.y);
        const html = node instanceof Element ? node.outerHTML.slice(0, 120) : '';
        moved.push(
          `${value.toFixed(3)} by ${pixels} px at ${Math.round(entry.startTime)} ms: ${html}`,
        );
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
    : [
        `${where}: moves by ${sum.toFixed(3)}: ${[...moved].sort().reverse().slice(0, 3).join(' | ')}`,
      ];
}

/** Highest sum of layout shifts that users do not notice. */
const MOST_SHIFT = 0.02;

/** Gives the page of a visitor a slow line: 400 ms and 400 kbit/s, as Chromium emulates it. */
export async function slowDown({
  context,
  page,
}: {
  readonly context: BrowserContext;
  readonly page: Page;
}): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 400 },
    ...{ downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 },
  });
}
