import { MAX_DESKTOP_PIXELS, RECORD } from '@sallyport/contract';
import type { Effect, Place } from './effects.ts';

/** Metadata of a piece of a recording. */
export interface KnownPiece {
  readonly kind: number;
  /** Set on the first piece of a message; undefined on its continuations. */
  readonly effect?: Effect | undefined;
}

/** Tracks the pixels that the player still has to draw. */
class Needs {
  readonly #width: number;
  readonly #height: number;
  readonly #open: Uint8Array;
  #left: number;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#left = width * height;
    this.#open = new Uint8Array(this.#left).fill(1);
  }

  get areMet(): boolean {
    return this.#left === 0;
  }

  /**
   * Marks an area as drawn; returns true if it contained a needed pixel. Sets `had` to 1 for each
   * needed pixel.
   */
  meet(place: Place, had?: Uint8Array): boolean {
    const { x, y, width, height } = this.#clip(place);
    let some = false;
    for (let row = 0; row < height; row++) {
      const from = (y + row) * this.#width + x;
      const pixels = this.#open.subarray(from, from + width);
      let at = pixels.indexOf(1);
      if (at < 0) continue;
      some = true;
      if (pixels.includes(0)) {
        for (; at < width; at++) {
          if (pixels[at] !== 1) continue;
          this.#left--;
          if (had) had[row * place.width + at] = 1;
        }
      } else {
        // Fast path: scrolling consists mostly of full rows.
        this.#left -= width;
        had?.fill(1, row * place.width, row * place.width + width);
      }
      pixels.fill(0);
    }
    return some;
  }

  /** Marks the source pixels of a copy as needed. */
  ask({ width, height }: Place, fromX: number, fromY: number, had: Uint8Array): void {
    const within = Math.min(width, this.#width - fromX);
    for (let row = 0; within > 0 && row < height && fromY + row < this.#height; row++) {
      const from = (fromY + row) * this.#width + fromX;
      const pixels = this.#open.subarray(from, from + within);
      const hadRow = had.subarray(row * width, row * width + within);
      if (!hadRow.includes(0) && !pixels.includes(1)) {
        pixels.fill(1);
        this.#left += within;
        continue;
      }
      for (let at = hadRow.indexOf(1); at >= 0 && at < within; at++) {
        if (hadRow[at] !== 1 || pixels[at] === 1) continue;
        pixels[at] = 1;
        this.#left++;
      }
    }
  }

  #clip({ x, y, width, height }: Place): Place {
    return {
      x,
      y,
      width: Math.max(0, Math.min(width, this.#width - x)),
      height: Math.max(0, Math.min(height, this.#height - y)),
    };
  }
}

/** Returns the size of the desktop at a moment. */
function sizeAt(
  pieces: readonly KnownPiece[],
  until: number,
  first: { readonly width: number; readonly height: number },
) {
  for (let index = until - 1; index >= 0; index--) {
    const effect = pieces[index]?.effect;
    if (effect?.kind === 'setting' && effect.width !== undefined && effect.height !== undefined)
      return { width: effect.width, height: effect.height };
  }
  return first;
}

/**
 * Returns the pieces that show the picture of a moment on an empty screen, in order: those that
 * painted a still visible pixel or its copy source. Searches backward, so the cost grows with the
 * age of the visible pixels.
 */
export function neededPieces(
  pieces: readonly KnownPiece[],
  until: number,
  first: { readonly width: number; readonly height: number },
): number[] {
  const { width, height } = sizeAt(pieces, until, first);
  const needs = new Needs(width, height);
  const needed: number[] = [];
  let end = until;
  // An incomplete message continues after the moment.
  if (pieces[until - 1]?.kind === RECORD.part) {
    while (end > 0 && !pieces[end - 1]?.effect) end--;
    end = Math.max(0, end - 1);
    for (let index = until - 1; index >= end; index--) needed.push(index);
  }
  let hasPointer = false;
  const keep = (first: number, last: number, pointers = false) => {
    for (let index = first; index <= last; index++)
      if (pointers || pieces[index]?.kind !== RECORD.pointer) needed.push(index);
  };
  for (let index = end - 1; index >= 0; index--) {
    const piece = pieces[index];
    if (piece?.kind === RECORD.pointer && !hasPointer) {
      needed.push(index);
      hasPointer = true;
    }
    if (!piece?.effect || !isNeeded(piece.effect, needs)) continue;
    // Pixels from before a restart belong to another picture: draw all of it.
    const isBarrier = piece.effect.kind === 'setting' && !needs.areMet;
    keep(isBarrier ? 0 : index, lastOf(pieces, index, end), isBarrier && !hasPointer);
    if (isBarrier) break;
  }
  return needed.sort((one, other) => one - other);
}

/**
 * Returns the pieces that turn the picture of one moment into that of another, in order, or
 * undefined if the player must start from an empty screen. This is the case if some pixel was not
 * painted since the last settings message, or if the settings differ.
 */
export function piecesAcross(
  pieces: readonly KnownPiece[],
  from: number,
  until: number,
  first: { readonly width: number; readonly height: number },
): number[] | undefined {
  // In the middle of a message the player expects its rest.
  if (!isBetweenMessages(pieces, from) || !isBetweenMessages(pieces, until)) return undefined;
  for (let index = Math.min(from, until); index < Math.max(from, until); index++) {
    const effect = pieces[index]?.effect;
    if (effect?.kind === 'setting' || (effect?.kind === 'paint' && effect.isChained))
      return undefined;
  }
  const { width, height } = sizeAt(pieces, until, first);
  const needs = new Needs(width, height);
  const needed: number[] = [];
  let hasPointer = false;
  for (let index = until - 1; index >= 0; index--) {
    const piece = pieces[index];
    if (piece?.kind === RECORD.pointer && !hasPointer) {
      needed.push(index);
      hasPointer = true;
    }
    if (needs.areMet && hasPointer) break;
    if (!piece?.effect || needs.areMet) continue;
    if (
      piece.effect.kind === 'setting' ||
      (piece.effect.kind === 'paint' && piece.effect.isChained)
    )
      return undefined;
    if (!isNeeded(piece.effect, needs)) continue;
    for (let part = index; part <= lastOf(pieces, index, until); part++)
      if (pieces[part]?.kind !== RECORD.pointer) needed.push(part);
  }
  // The pointer first appeared after the moment: only a restart hides it.
  if (!hasPointer && pieces.slice(until, from).some(({ kind }) => kind === RECORD.pointer))
    return undefined;
  return needs.areMet ? needed.sort((one, other) => one - other) : undefined;
}

/**
 * Returns the pieces that turn the picture at one index into that at a later one, in order and
 * without overpainted pieces. The cost depends on the number of these pieces only, so every step of
 * playback can call it.
 */
export function piecesBetween(
  pieces: readonly KnownPiece[],
  from: number,
  until: number,
): number[] {
  let needs = needsWithin(pieces, from, until);
  const needed: number[] = [];
  let message: number[] = [];
  let hasPointer = false;
  for (let index = until - 1; index >= from; index--) {
    const piece = pieces[index];
    if (piece?.kind === RECORD.pointer && !hasPointer) {
      needed.push(index);
      hasPointer = true;
    }
    if (piece?.kind !== RECORD.picture && piece?.kind !== RECORD.part) continue;
    message.push(index);
    if (!piece.effect) continue;
    // A message that is cut has not painted yet.
    const isCut = pieces[message[0] ?? index]?.kind === RECORD.part;
    if (isCut || !needs || isNeeded(piece.effect, needs)) needed.push(...message);
    message = [];
    // Earlier pieces belong to another picture: draw all of it.
    if (piece.effect.kind === 'setting') needs = undefined;
  }
  // The rest of a message that started earlier.
  needed.push(...message);
  return needed.sort((one, other) => one - other);
}

/**
 * Returns the needed pixels of everything painted between two indexes; undefined if no piece can be
 * left out, or if areas exceed any desktop.
 */
function needsWithin(
  pieces: readonly KnownPiece[],
  from: number,
  until: number,
): Needs | undefined {
  let [width, height, count] = [0, 0, 0];
  for (let index = from; index < until; index++) {
    const effect = pieces[index]?.effect;
    if (effect?.kind !== 'paint' && effect?.kind !== 'copy') continue;
    width = Math.max(width, effect.place.x + effect.place.width);
    height = Math.max(height, effect.place.y + effect.place.height);
    count++;
  }
  return count < 2 || width * height > MAX_DESKTOP_PIXELS ? undefined : new Needs(width, height);
}

/** Returns true if the messages before an index are complete. */
function isBetweenMessages(pieces: readonly KnownPiece[], until: number): boolean {
  for (let index = until - 1; index >= 0; index--) {
    const kind = pieces[index]?.kind;
    if (kind === RECORD.part) return false;
    if (kind === RECORD.picture) return true;
  }
  return until === 0;
}

/** Returns the index of the last piece of a message. */
function lastOf(pieces: readonly KnownPiece[], first: number, limit: number): number {
  let index = first;
  while (index < limit - 1 && pieces[index]?.kind !== RECORD.picture) index++;
  return index;
}

function isNeeded(effect: Effect, needs: Needs): boolean {
  if (effect.kind === 'setting') return true;
  if (effect.kind === 'none') return false;
  if (effect.kind === 'paint') return needs.meet(effect.place) || effect.isChained === true;
  const had = new Uint8Array(effect.place.width * effect.place.height);
  if (!needs.meet(effect.place, had)) return false;
  needs.ask(effect.place, effect.fromX, effect.fromY, had);
  return true;
}
