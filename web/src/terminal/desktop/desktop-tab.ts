import {
  type ClipboardRights,
  DESKTOP_SOCKET_PATH,
  type DesktopConnectMessage,
  type DesktopFacts,
  keyboardLayoutFor,
  MAX_DESKTOP_TEXT,
} from '@sallyport/contract';
import { Emitter } from '../connection/emitter.ts';
import type { Output } from '../connection/output.ts';
import { type Destination, TerminalConnection } from '../connection/terminal-connection.ts';
import { socketUrl } from '../connection/terminal-socket.ts';
import { settingsStore } from '../settings/settings-store.ts';
import { DesktopDrive } from './desktop-drive.ts';
import { DesktopFiles } from './desktop-files.ts';
import { type Key, typedKeys } from './keys.ts';
import { loadPictures } from './load-pictures.ts';
import type { Fit, PasteResult, Picture, Quality } from './picture.ts';

/** Pace of a typed text: desktops read hundreds of keys in a second. */
const KEYS_AT_ONCE = 20;
const KEYS_EVERY_MS = 30;
/** A window that changes its size asks the desktop for the new one after this pause. */
const RESIZE_MS = 400;
/** A tab without a size after this time is hidden. */
const HIDDEN_MS = 3000;

/** State around a desktop, for drawing. */
export interface DesktopState {
  /** Null until the desktop has begun. */
  readonly facts: DesktopFacts | null;
  readonly rights: ClipboardRights;
  /** The recording contains every key press. */
  readonly areKeysRecorded: boolean;
  /** Last text that the user copied at the desktop. */
  readonly copied: string | null;
  readonly fit: Fit;
  readonly quality: Quality;
  /** The server can change the size of the desktop. */
  readonly isResizable: boolean;
}

/** The desktop of a tab: its connection and its picture. React draws only the controls. */
export class DesktopTab extends Emitter<{ readonly change: DesktopState; readonly leave: null }> {
  readonly connection: TerminalConnection;
  /** Element that holds the picture. */
  readonly element = document.createElement('div');
  /** Files between the desktop and this page. */
  readonly files = new DesktopFiles((message) => this.#picture?.files?.(message));
  /** The folder that the desktop shows as a drive. */
  readonly drive = new DesktopDrive((message) => this.connection.sendDrive(message));
  #picture: Picture | null = null;
  #waiting: Output[] = [];
  #ended = false;
  #resizing: ReturnType<typeof setTimeout> | undefined;
  readonly #observer = new ResizeObserver(() => this.#askSize());
  #state: DesktopState = {
    facts: null,
    rights: { copy: false, paste: false },
    areKeysRecorded: false,
    copied: null,
    fit: 'scale',
    quality: 'balanced',
    isResizable: false,
  };

  constructor(label: string) {
    super();
    this.element.setAttribute('role', 'application');
    this.element.setAttribute('aria-label', label);
    this.element.dataset.desktop = '';
    this.#observer.observe(this.element);
    this.connection = new TerminalConnection(
      () => socketUrl(DESKTOP_SOCKET_PATH),
      ({ asset, isApp = false, systemUser, protocol }, size) => ({
        type: 'connect',
        ...(isApp ? { remote_app: asset } : { asset }),
        system_user: systemUser,
        ...(protocol && { protocol }),
        width: size.cols,
        height: size.rows,
        ...wishes(),
      }),
    );
    this.connection.on('desktop', ({ protocol, width, height, name, keys_recorded }) => {
      this.#change({ areKeysRecorded: keys_recorded === true });
      this.files.reset();
      this.drive.reset();
      void this.#begin({ protocol, width, height, name });
    });
    this.connection.on('clipboard', ({ copy, paste }) =>
      this.#change({ rights: { copy, paste }, ...(!copy && { copied: null }) }),
    );
    this.connection.on('files', ({ upload, download }) =>
      this.files.setRights({ upload, download }),
    );
    this.connection.on('drive', (message) =>
      message.type === 'drive' ? this.drive.hear(message) : this.drive.follow(message),
    );
    this.connection.on('resizable', () => this.#change({ isResizable: true }));
    this.connection.on('output', (output) => this.#show(output));
  }

  /** Returns the state; the same object until it changes. */
  readonly snapshot = (): DesktopState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => this.on('change', listener);

  #change(part: Partial<DesktopState>): void {
    this.#state = { ...this.#state, ...part };
    this.emit('change', this.#state);
  }

  /** Connects when the size of the picture's area is known: many RDP desktops keep it. */
  dial(destination: Destination): void {
    const before = this.connection.state;
    void shownSize(this.element).then((size) => {
      // The user may have canceled.
      if (!this.#ended && this.connection.state === before) this.connection.dial(destination, size);
    });
  }

  async #begin(facts: DesktopFacts): Promise<void> {
    const make = await loadPictures(facts.protocol);
    if (this.#ended) return;
    const picture = make(this.element, facts, {
      send: (bytes) => this.connection.sendFrame(bytes),
      onCopied: (text) => this.#change({ copied: text }),
      onFile: (message) => this.files.hear(message),
      onLeave: () => this.emit('leave', null),
    });
    this.#picture = picture;
    this.#change({ facts });
    this.setQuality(this.#state.quality);
    for (const { bytes, drawn } of this.#waiting) picture.receive(bytes, drawn);
    this.#waiting = [];
    this.focus();
  }

  #show(output: Output): void {
    if (this.#picture) this.#picture.receive(output.bytes, output.drawn);
    else this.#waiting.push(output);
  }

  /** Moves the keyboard focus to the desktop. */
  focus(): void {
    this.#picture?.focus();
  }

  /** Removes the keyboard focus and releases held keys at the desktop. */
  release(): void {
    this.#picture?.release();
  }

  /** Presses keys together at the desktop, then releases them. */
  press(keys: readonly Key[]): void {
    this.#picture?.press(keys);
  }

  /** Puts a text into the clipboard of the desktop. Returns the result. */
  paste(text: string): PasteResult {
    if (textBytes(text) > MAX_DESKTOP_TEXT) return 'tooLong';
    if (!this.#state.rights.paste || !this.#picture) return 'unsupported';
    return this.#picture.paste(text);
  }

  /** Types a text at the desktop, some characters at a time. */
  type(text: string): void {
    const keys = typedKeys(text);
    const next = () => {
      for (const key of keys.splice(0, KEYS_AT_ONCE)) this.press([key]);
      if (keys.length > 0 && !this.#ended) setTimeout(next, KEYS_EVERY_MS);
    };
    next();
  }

  setFit(fit: Fit): void {
    this.#picture?.setFit(fit);
    this.#change({ fit });
    this.#askSize();
  }

  setQuality(quality: Quality): void {
    this.#picture?.setQuality(quality);
    this.#change({ quality });
  }

  /** Asks for the size of the picture's area; VNC's own viewer asks for it by itself. */
  #askSize(): void {
    clearTimeout(this.#resizing);
    const { fit, isResizable } = this.#state;
    if (fit !== 'resize' || !isResizable) return;
    this.#resizing = setTimeout(() => {
      const { clientWidth: width, clientHeight: height } = this.element;
      if (width > 0 && height > 0) this.connection.sendSize(width, height);
    }, RESIZE_MS);
  }

  /** Ends the connection and removes the picture. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#resizing);
    this.#observer.disconnect();
    this.connection.hangUp();
    this.#picture?.end();
    this.#picture = null;
    this.element.remove();
  }
}

/** Returns the size of an element once it has one, and that of the window for a hidden tab. */
function shownSize(element: HTMLElement): Promise<{ cols: number; rows: number }> {
  return new Promise((done) => {
    const finish = (width: number, height: number) => {
      observer.disconnect();
      clearTimeout(timeout);
      done({ cols: Math.max(1, Math.round(width)), rows: Math.max(1, Math.round(height)) });
    };
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) finish(element.clientWidth, element.clientHeight);
    });
    const timeout = setTimeout(() => finish(innerWidth, innerHeight), HIDDEN_MS);
    observer.observe(element);
  });
}

/** Returns the user's desktop settings in the gateway's format. */
function wishes(): Pick<DesktopConnectMessage, 'keyboard' | 'colors'> {
  const { keyboardLayout, fewColors } = settingsStore.get();
  const keyboard = keyboardLayout || keyboardLayoutFor(navigator.languages);
  return { ...(keyboard && { keyboard }), ...(fewColors && { colors: 16 }) };
}

/** Bytes of a text on its way to a VNC server: UTF-8, with two bytes for a line end. */
const textBytes = (text: string): number =>
  new TextEncoder().encode(text.replace(/\r?\n/g, '\r\n')).length;
