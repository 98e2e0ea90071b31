/** Callbacks of the touch gestures on a picture. */
export interface Hands {
  /** Returns the current font size. */
  readonly size: () => number;
  /** Changes the font size. */
  readonly zoom: (size: number) => void;
  /** Two quick taps. */
  readonly doubleTap: () => void;
  /** A finger touches the picture. */
  readonly touched: () => void;
}

const DOUBLE_TAP_MILLISECONDS = 300;
const TAP_MOVES = 10;

function spread(touches: TouchList): number {
  const [one, other] = touches;
  return one && other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
}

/**
 * Pans the content of an element with one finger and zooms it with two. Returns a function that
 * removes the listeners.
 */
export function attachHands(host: HTMLElement, hands: Hands): () => void {
  let from: { x: number; y: number; left: number; top: number } | null = null;
  let pinch: { spread: number; size: number } | null = null;
  let moved = 0;
  let lastTap = 0;

  const start = (event: TouchEvent) => {
    hands.touched();
    // The terminal inside would scroll its own lines.
    event.stopPropagation();
    const [finger] = event.touches;
    if (event.touches.length === 2) {
      from = null;
      pinch = { spread: spread(event.touches), size: hands.size() };
    } else if (finger) {
      moved = 0;
      from = { x: finger.clientX, y: finger.clientY, left: host.scrollLeft, top: host.scrollTop };
    }
  };
  const move = (event: TouchEvent) => {
    hands.touched();
    event.stopPropagation();
    event.preventDefault();
    const [finger] = event.touches;
    if (pinch && pinch.spread > 0 && event.touches.length === 2)
      hands.zoom((pinch.size * spread(event.touches)) / pinch.spread);
    else if (from && finger) {
      moved = Math.max(moved, Math.hypot(finger.clientX - from.x, finger.clientY - from.y));
      host.scrollTo(from.left + from.x - finger.clientX, from.top + from.y - finger.clientY);
    }
  };
  const end = (event: TouchEvent) => {
    if (event.touches.length > 0) return;
    const isTap = from !== null && pinch === null && moved < TAP_MOVES;
    from = null;
    pinch = null;
    if (!isTap) return;
    if (event.timeStamp - lastTap < DOUBLE_TAP_MILLISECONDS) {
      event.preventDefault();
      hands.doubleTap();
      lastTap = 0;
    } else lastTap = event.timeStamp;
  };
  const options = { capture: true, passive: false } as const;
  host.addEventListener('touchstart', start, options);
  host.addEventListener('touchmove', move, options);
  host.addEventListener('touchend', end, options);
  return () => {
    host.removeEventListener('touchstart', start, options);
    host.removeEventListener('touchmove', move, options);
    host.removeEventListener('touchend', end, options);
  };
}
