import { ApiError } from '../../kit/api.ts';

/**
 * Bytes per piece. Pieces grow on a fast line, for few requests per file. They stay small on a slow
 * line, where a large piece would time out.
 */
const FIRST_PIECE = 1024 * 1024;
const LARGEST_PIECE = 16 * 1024 * 1024;
const SMALLEST_PIECE = FIRST_PIECE / 4;

const QUICK_MS = 1500;
const SLOW_MS = 15_000;

const TOO_LARGE = 413;

/** Chooses the sizes of the pieces of all uploads. */
export class PieceSizes {
  /** A proxy may accept smaller bodies than the server. The first 413 lowers it for all files. */
  #largest = LARGEST_PIECE;

  get first(): number {
    return this.atMost(FIRST_PIECE);
  }

  atMost(piece: number): number {
    return Math.min(piece, this.#largest);
  }

  /** Returns the size after a piece that took this time. */
  after(piece: number, milliseconds: number): number {
    if (milliseconds < QUICK_MS) return this.atMost(piece * 2);
    return milliseconds > SLOW_MS ? Math.max(piece / 2, SMALLEST_PIECE) : piece;
  }

  /** Halves the piece size after a 413 of a proxy. @throws every other error */
  shrink(error: unknown, bytes: number): undefined {
    if (!(error instanceof ApiError && error.status === TOO_LARGE) || bytes <= SMALLEST_PIECE)
      throw error;
    this.#largest = Math.max(SMALLEST_PIECE, this.atMost(Math.ceil(bytes / 2)));
  }
}
