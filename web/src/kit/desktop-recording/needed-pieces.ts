import { MAX_DESKTOP_PIXELS, RECORD } from '@sallyport/contract';
import type { Effect, Place } from './effects.ts';

/** What is known of a piece of a recording. */
export interface KnownPiece {
  readonly kind: number;
  /** Of the first piece of a message; absent for those that go on with it. */
  readonly effect?: Effect | undefined;
}

/** Pixels of which a player knows whether something still has to be drawn there. */
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

  /** Meets the needs of a place; true when some of its pixels had one. `had` gets a 1 for each of them. */
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
        // Whole rows are the most of a scroll, and quick.
        this.#left -= width;
        had?.fill(1, row * place.width, row * place.width + width);
      }
      pixels.fill(0);
    }
    return some;
  }

  /** Pixels that were copied from elsewhere are needed there. */
  ask({ width, height }: Place, fromX: number, fromY: number, had: Uint8Array): void {
    const within = Math.min(width, this.#width - fromX);
    for (let row = 0; within > 0 && row < height && fromY + row < this.#height; row++) {
      const from = (fromY + row) * this.#width + fromX;
      const pixels = this.#open.subarray(from, from + within);
      const asked = had.subarray(row * width, row * width + within);
      if (!asked.includes(0) && !pixels.includes(1)) {
        pixels.fill(1);
        this.#left += within;
        continue;
      }
      for (let at = asked.indexOf(1); at >= 0 && at < within; at++) {
        if (asked[at] !== 1 || pixels[at] === 1) continue;
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

/** Which size the desktop has at a moment. */
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
 * The pieces that show the picture of a moment, in their order, when they are drawn on nothing: each that painted a pixel which is still to be seen, or was copied from there to where it is.
 * It is found from the moment backward, so that it costs as much as what is to be seen is old.
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
  // A message that is not whole yet goes on behind the moment.
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
    // What was before a new beginning belongs to another picture: all of it is drawn.
    const isBarrier = piece.effect.kind === 'setting' && !needs.areMet;
    keep(isBarrier ? 0 : index, lastOf(pieces, index, end), isBarrier && !hasPointer);
    if (isBarrier) break;
  }
  return needed.sort((one, other) => one - other);
}

/**
 * The pieces that make the picture of one moment into that of another, in their order; undefined where that needs to begin with nothing. It does when not every pixel was painted since the last
 * message that agreed on something, or when the two moments do not share all of what was agreed on.
 */
export function piecesAcross(
  pieces: readonly KnownPiece[],
  from: number,
  until: number,
  first: { readonly width: number; readonly height: number },
): number[] | undefined {
  // In the middle of a message, its rest is expected.
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
  // The pointer was first seen after the moment: only a new beginning hides it.
  if (!hasPointer && pieces.slice(until, from).some(({ kind }) => kind === RECORD.pointer))
    return undefined;
  return needs.areMet ? needed.sort((one, other) => one - other) : undefined;
}

/**
 * The pieces between two places that a picture of the first one needs to become that of the second, in their order: what is painted over on the way is left out. It costs as much as these pieces, however
 * long the recording is, so that each step of playing can ask.
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
    // One that is cut has painted nothing yet.
    const isCut = pieces[message[0] ?? index]?.kind === RECORD.part;
    if (isCut || !needs || isNeeded(piece.effect, needs)) needed.push(...message);
    message = [];
    // What was before belongs to another picture: all of it is drawn.
    if (piece.effect.kind === 'setting') needs = undefined;
  }
  // The rest of a message that began earlier.
  needed.push(...message);
  return needed.sort((one, other) => one - other);
}

/** The needs of all that is painted between two places; undefined where nothing can be left out, or the recording names places that no desktop has. */
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

/** Whether the messages before an index are whole. */
function isBetweenMessages(pieces: readonly KnownPiece[], until: number): boolean {
  for (let index = until - 1; index >= 0; index--) {
    const kind = pieces[index]?.kind;
    if (kind === RECORD.part) return false;
    if (kind === RECORD.picture) return true;
  }
  return until === 0;
}

/** The last piece of the message that begins at an index. */
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
