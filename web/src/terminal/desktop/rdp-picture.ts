import type { DesktopFacts } from '@sallyport/contract';
import { fittedArea, type PictureArea } from '../../kit/desktop-recording/recorded-picture.ts';
import { words } from '../../kit/desktop-recording/words.ts';
import { t } from '../../kit/i18n/index.ts';
import type { FileToFrame } from '../../kit/rdp-frame/messages.ts';
import { RdpView } from '../../kit/rdp-frame/rdp-view.ts';
import type { Key } from './keys.ts';
import type { Fit, PasteResult, Picture, PictureEvents } from './picture.ts';

/** Shows an RDP desktop: IronRDP in its own frame. */
export class RdpPicture implements Picture {
  readonly #view: RdpView;
  readonly #target: HTMLElement;
  #size: Pick<DesktopFacts, 'width' | 'height'>;
  /** Callbacks for bytes that the frame has not drawn yet, in order. */
  readonly #taken: (() => void)[] = [];

  constructor(
    target: HTMLElement,
    facts: DesktopFacts,
    { send, onCopied, onFile, onLeave }: PictureEvents,
  ) {
    const { width, height, name } = facts;
    this.#target = target;
    this.#size = facts;
    this.#view = new RdpView(
      target,
      { width, height, isViewOnly: send === undefined, label: t(words.pictureOf, { name }) },
      {
        onBytes: (bytes) => send?.(bytes),
        onTaken: () => this.#taken.shift()?.(),
        onSize: (size) => {
          this.#size = size;
        },
        onText: (text) => onCopied?.(text),
        onFile: (message) => onFile?.(message),
        onLeave: () => onLeave?.(),
      },
    );
  }

  receive(bytes: Uint8Array, taken?: () => void): void {
    this.#taken.push(taken ?? (() => undefined));
    // The buffer belongs to the connection.
    this.#view.push(bytes.slice());
  }

  focus(): void {
    this.#view.focus();
  }

  release(): void {
    // The frame releases all keys when it loses the focus.
    this.#view.blur();
  }

  press(keys: readonly Key[]): void {
    this.#view.press(keys);
  }

  paste(text: string): PasteResult {
    this.#view.paste(text);
    // xrdp 0.9 drops a text with characters beyond 16 bits, and reports nothing.
    return /[\u{10000}-\u{10ffff}]/u.test(text) ? 'uncertain' : 'sent';
  }

  files(message: FileToFrame): void {
    this.#view.files(message);
  }

  setFit(fit: Fit): void {
    this.#view.setFits(fit !== 'actual');
  }

  /** Does nothing: RDP negotiates the colors when the session begins. */
  setQuality(): void {}

  area(): PictureArea {
    // The frame keeps the aspect ratio and centers the picture.
    return fittedArea(this.#target, this.#size);
  }

  end(): void {
    this.#view.close();
  }
}
