import { currentWatermark, watermarkTime } from '../watermark/watermark.ts';
import {
  type FileFromFrame,
  type FileToFrame,
  FRAME_START,
  type FrameStart,
  type FromFrame,
  type PressedKey,
  type ToFrame,
} from './messages.ts';

type Start = Omit<FrameStart, 'type' | 'watermark' | 'time'>;

const FRAME_ADDRESS = '/luna/rdp/';

/** Events of a desktop in its frame. */
export interface RdpViewEvents {
  /** Bytes for the gateway. */
  onBytes(bytes: Uint8Array<ArrayBuffer>): void;
  /** The oldest outstanding piece has been drawn. */
  onTaken(): void;
  /** The user releases the keyboard. */
  onLeave(): void;
  /** The desktop has another size. */
  onSize(size: { readonly width: number; readonly height: number }): void;
  /** A text was copied on the desktop. */
  onText(text: string): void;
  /** Receives file messages; undefined for a view-only desktop. */
  onFile?(message: FileFromFrame): void;
}

/** An RDP desktop in its own frame inside an element. Accepts bytes before the frame has loaded. */
export class RdpView {
  readonly #frame: HTMLIFrameElement;
  readonly #channel = new MessageChannel();
  readonly #start: Start;
  readonly #begin: (event: MessageEvent) => void;

  constructor(host: HTMLElement, start: Start, events: RdpViewEvents) {
    this.#start = start;
    this.#frame = document.createElement('iframe');
    this.#frame.src = FRAME_ADDRESS;
    this.#frame.title = start.label;
    this.#frame.style.cssText = 'width:100%;height:100%;border:0;display:block';
    // The page handles clipboard and full screen, so the frame gets no permissions.
    this.#frame.setAttribute('allow', '');
    this.#begin = ({ source, origin }) => {
      if (source === this.#frame.contentWindow && origin === window.location.origin) this.#open();
    };
    window.addEventListener('message', this.#begin);
    this.#channel.port1.onmessage = ({ data }: MessageEvent<FromFrame>) => tell(events, data);
    host.append(this.#frame);
  }

  /** Shows bytes of the gateway or of a recording. */
  push(bytes: Uint8Array<ArrayBuffer>): void {
    this.#send({ type: 'bytes', bytes });
  }

  /** Presses keys together and releases them. */
  press(keys: readonly PressedKey[]): void {
    this.#send({ type: 'keys', keys });
  }

  /** Offers a text to the clipboard of the desktop. */
  paste(text: string): void {
    this.#send({ type: 'paste', text });
  }

  /** Sends a request about files. */
  files(message: FileToFrame): void {
    this.#send({ type: 'files', message });
  }

  /** True scales the picture to the frame; false scrolls it at its own size. */
  setFits(fits: boolean): void {
    this.#send({ type: 'fit', fits });
  }

  focus(): void {
    this.#frame.focus();
    this.#send({ type: 'focus' });
  }

  /** Takes the keyboard focus from the frame. */
  blur(): void {
    this.#send({ type: 'blur' });
    this.#frame.blur();
  }

  /** The canvas of the frame, or null before it has loaded. */
  canvas(): HTMLCanvasElement | null {
    return this.#frame.contentDocument?.querySelector('canvas') ?? null;
  }

  close(): void {
    window.removeEventListener('message', this.#begin);
    this.#channel.port1.close();
    this.#frame.remove();
  }

  #open(): void {
    window.removeEventListener('message', this.#begin);
    this.#frame.contentWindow?.postMessage(
      {
        type: FRAME_START,
        ...this.#start,
        watermark: currentWatermark(),
        time: watermarkTime(),
      },
      window.location.origin,
      [this.#channel.port2],
    );
  }

  #send(message: ToFrame): void {
    this.#channel.port1.postMessage(message);
  }
}

function tell(events: RdpViewEvents, message: FromFrame): void {
  if (message.type === 'bytes') events.onBytes(message.bytes);
  else if (message.type === 'taken') events.onTaken();
  else if (message.type === 'leave') events.onLeave();
  else if (message.type === 'size') events.onSize(message);
  else if (message.type === 'files') events.onFile?.(message.message);
  else events.onText(message.text);
}
