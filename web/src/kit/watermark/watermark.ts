import './watermark.css';
import type { Watermark } from '@sallyport/contract';
import { zoneName } from '../format/relative-time.ts';
import { drawTile, markCanvas } from './mark-canvas.ts';

/** Interval after which the time in the watermark of the page may be old, in milliseconds. */
const EVERY = 15_000;

let current: Watermark | null = null;
let drawn = '';
let timer: number | undefined;

/** The time in a watermark, to the minute and with the zone; the same in every language. */
export const watermarkTime = (now = new Date()): string =>
  `${now.toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })} ${zoneName(now)}`;

/** The watermark of this page, or null. */
export const currentWatermark = (): Watermark | null => current;

function showTile(): void {
  if (!current) return;
  const time = watermarkTime();
  const key = `${current.strength} ${current.text} ${time}`;
  if (key === drawn) return;
  drawn = key;
  const tile = drawTile(current, time, Math.min(2, Math.ceil(window.devicePixelRatio)));
  const { style } = document.documentElement;
  style.setProperty('--watermark', `url("${tile.canvas.toDataURL()}")`);
  style.setProperty('--watermark-size', `${tile.width}px ${tile.height}px`);
}

/**
 * Sets the watermark of this page. Style rules draw it into terminals, query results and previews;
 * its time follows the clock.
 */
export function setWatermark(mark: Watermark | null): void {
  current = mark;
  window.clearInterval(timer);
  document.documentElement.toggleAttribute('data-watermark', mark !== null);
  if (!mark) return;
  showTile();
  timer = window.setInterval(showTile, EVERY);
}

/** Draws the watermark of this page, with the present time, into a desktop's canvas. */
export function markDesktop(canvas: HTMLCanvasElement | null): void {
  if (current && canvas) markCanvas(canvas, current, watermarkTime());
}
