import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { atMost, type Figure } from '../lib/figure.ts';

const WEB = resolve(import.meta.dirname, '../../web');

interface Weights {
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
}

/**
 * Measures the bytes that a new screen adds to pages that do not show it: to the start of the
 * console, and to the screen that grows most.
 */
export async function newScreen(): Promise<Figure[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['measure-screen.ts'], {
    cwd: WEB,
    maxBuffer: 1 << 24,
  });
  const { before, after } = JSON.parse(stdout) as Weights;
  const growth = Object.entries(before).map(([page, bytes]) => ({
    page,
    bytes: (after[page] ?? Number.POSITIVE_INFINITY) - bytes,
  }));
  const most = growth.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  const average = growth.reduce((sum, { bytes }) => sum + bytes, 0) / growth.length;
  const kibibytes = (name: string, bytes: number) => ({
    name: `One more screen, ${name}`,
    value: bytes / 1024,
    unit: 'KiB',
  });
  return [
    {
      ...kibibytes(
        'the console as it begins',
        (after.ui ?? Number.POSITIVE_INFINITY) - (before.ui ?? 0),
      ),
      budget: atMost(0.2),
    },
    {
      ...kibibytes('the average page', average),
      budget: atMost(0.2),
      note: `${growth.length} pages`,
    },
    // Shared files are put together again, so that a page may gain or lose some hundred bytes.
    { ...kibibytes('the page that grows most', most.bytes), note: most.page },
  ];
}
