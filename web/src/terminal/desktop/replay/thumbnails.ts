import type { DesktopRecording } from '../../../kit/desktop-recording/desktop-recording.ts';
import type { RecordedPictureMaker } from '../../../kit/desktop-recording/recorded-picture.ts';
import { StillDesktop } from '../../../kit/desktop-recording/still-desktop.ts';

/** The longer side of a thumbnail, in pixels. */
const SIDE = 208;
/** Positions with a thumbnail per recording; all are kept, up to 150 KiB each. */
const MOMENTS = 240;
const KEPT = 64;
/** Debounce: the pointer rests this long before a thumbnail is drawn. */
const REST_MS = 120;

/** Thumbnails of a recorded desktop, drawn out of sight on request, one after the other. */
export class Thumbnails {
  readonly width: number;
  readonly height: number;
  readonly #recording: DesktopRecording;
  readonly #make: RecordedPictureMaker;
  readonly #isBusy: () => boolean;
  /** Least recently used first. */
  readonly #kept = new Map<number, HTMLCanvasElement>();
  #place: HTMLElement | null = null;
  #still: StillDesktop | null = null;

  /** `isBusy` returns true while the player draws; thumbnails then wait. */
  constructor(recording: DesktopRecording, make: RecordedPictureMaker, isBusy: () => boolean) {
    this.#recording = recording;
    this.#make = make;
    this.#isBusy = isBusy;
    const { width, height } = recording.facts;
    const scale = SIDE / Math.max(width, height);
    this.width = Math.max(1, Math.round(width * scale));
    this.height = Math.max(1, Math.round(height * scale));
  }

  /**
   * Passes the thumbnail near a second of the session to `shown`, immediately or once it is drawn.
   * Damaged parts have none. Returns a function that cancels the request.
   */
  want(second: number, shown: (picture: HTMLCanvasElement) => void): () => void {
    const step = Math.max(this.#recording.duration / MOMENTS, 0.1);
    const moment = Math.round(second / step);
    const kept = this.#kept.get(moment);
    if (kept) {
      this.#keep(moment, kept);
      shown(kept);
      return () => undefined;
    }
    let isWanted = true;
    const draw = async () => {
      if (!isWanted) return;
      if (this.#isBusy()) {
        timer = setTimeout(draw, REST_MS);
        return;
      }
      const picture = await this.#draw(moment, moment * step);
      if (picture && isWanted) shown(picture);
    };
    let timer = setTimeout(draw, REST_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }

  /** Removes everything. */
  end(): void {
    this.#still?.dispose();
    this.#place?.remove();
    this.#kept.clear();
  }

  async #draw(moment: number, second: number): Promise<HTMLCanvasElement | undefined> {
    this.#still ??= this.#begin();
    const still = this.#still;
    // A damaged part has no thumbnail; the player reports it on arrival.
    const isShown = await still.show(second).catch(() => false);
    const source = still.canvas();
    if (!isShown || !source) return undefined;
    const picture = document.createElement('canvas');
    [picture.width, picture.height] = [this.width, this.height];
    const context = picture.getContext('2d');
    if (!context) return undefined;
    context.imageSmoothingQuality = 'high';
    // The desktop may have another shape than at its start.
    const scale = Math.min(this.width / source.width, this.height / source.height);
    const [width, height] = [source.width * scale, source.height * scale];
    const [x, y] = [(this.width - width) / 2, (this.height - height) / 2];
    context.drawImage(source, x, y, width, height);
    this.#keep(moment, picture);
    return picture;
  }

  #begin(): StillDesktop {
    const place = document.createElement('div');
    place.inert = true;
    place.ariaHidden = 'true';
    place.dataset.thumbnails = '';
    place.style.cssText =
      'position:fixed;left:0;bottom:0;width:1px;height:1px;overflow:hidden;opacity:0;pointer-events:none';
    document.body.append(place);
    this.#place = place;
    return new StillDesktop(place, this.#recording, this.#make);
  }

  #keep(moment: number, picture: HTMLCanvasElement): void {
    this.#kept.delete(moment);
    this.#kept.set(moment, picture);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
  }
}
