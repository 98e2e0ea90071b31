import RFB from '@novnc/novnc';
import type { DesktopFacts } from '@sallyport/contract';
import type { PictureArea } from '../../kit/desktop-recording/recorded-picture.ts';
import { markDesktop } from '../../kit/watermark/watermark.ts';
import { addKeyField, type KeyField } from './key-field.ts';
import { type Key, releaseModifiers, SHIFT } from './keys.ts';
import type { Fit, PasteResult, Picture, PictureEvents, Quality } from './picture.ts';
import { RfbChannel } from './rfb-channel.ts';

const QUALITIES = { best: [9, 2], balanced: [6, 2], fast: [1, 9] } as const satisfies Readonly<
  Record<Quality, readonly [number, number]>
>;

/** Shows a VNC desktop: noVNC in an element that React does not own. */
export class VncPicture implements Picture {
  readonly #rfb: RFB;
  readonly #channel: RfbChannel;
  readonly #target: HTMLElement;
  readonly #field: KeyField | undefined;
  #hasPressed = false;

  constructor(target: HTMLElement, facts: DesktopFacts, { send, onCopied }: PictureEvents) {
    this.#target = target;
    this.#channel = new RfbChannel(facts, (bytes) => send?.(bytes));
    this.#rfb = new RFB(target, this.#channel, { shared: true });
    const canvas = target.querySelector('canvas');
    markDesktop(canvas);
    this.#rfb.viewOnly = send === undefined;
    this.#rfb.focusOnClick = false;
    this.#rfb.scaleViewport = true;
    this.#rfb.background = 'transparent';
    this.#rfb.addEventListener('clipboard', (event) =>
      onCopied?.((event as CustomEvent<{ readonly text: string }>).detail.text),
    );
    if (canvas && send) {
      const press = (keys: readonly Key[]) => this.press(keys);
      const label = target.getAttribute('aria-label') ?? facts.name;
      this.#field = addKeyField({ parent: target, canvas, label, composesDeadKeys: true, press });
    }
    this.#channel.begin();
  }

  receive(bytes: Uint8Array, taken?: () => void): void {
    this.#channel.receive(bytes, taken);
  }

  focus(): void {
    this.#field?.focus();
  }

  release(): void {
    releaseModifiers((keysym, code) => this.#rfb.sendKey(keysym, code, false));
    this.#field?.blur();
  }

  press(keys: readonly Key[]): void {
    // TigerVNC's Xvnc 1.12 loses the first key of a connection if no key of its layout types it.
    if (!this.#hasPressed) this.#strike([SHIFT]);
    this.#hasPressed = true;
    this.#strike(keys);
  }

  #strike(keys: readonly Key[]): void {
    for (const [keysym, code] of keys) this.#rfb.sendKey(keysym, code, true);
    for (const [keysym, code] of keys.toReversed()) this.#rfb.sendKey(keysym, code, false);
  }

  paste(text: string): PasteResult {
    const offer = () => this.#rfb.clipboardPasteFrom(text);
    if (!/[^\0-\xff]/.test(text)) offer();
    else if (!this.#channel.offersWhole(offer)) return 'unsupported';
    return 'sent';
  }

  setFit(fit: Fit): void {
    // Servers that keep their size are scaled.
    this.#rfb.scaleViewport = fit !== 'actual';
    this.#rfb.resizeSession = fit === 'resize';
  }

  setQuality(quality: Quality): void {
    [this.#rfb.qualityLevel, this.#rfb.compressionLevel] = QUALITIES[quality];
  }

  area(): PictureArea | null {
    const canvas = this.#target.querySelector('canvas');
    if (!canvas || canvas.width === 0) return null;
    const { left, top, width } = canvas.getBoundingClientRect();
    return { left, top, scale: width / canvas.width };
  }

  end(): void {
    this.#field?.end();
    this.#rfb.disconnect();
  }
}
