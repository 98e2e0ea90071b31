import type { TLSSocket } from 'node:tls';
import {
  type DesktopFacts,
  KEY_VALUE,
  KEYBOARD_LAYOUTS,
  MAX_DESKTOP_FILE,
  MAX_DESKTOP_FILES,
  MAX_DESKTOP_PIXELS,
} from '@sallyport/contract';
import {
  BadPdu,
  joinPdus,
  PduReader,
  RdpRelay,
  type RelayDrive,
  type ScreenSize,
  Slab,
  screenFor,
} from '@sallyport/rdp';
import { shareReads } from '@sallyport/ssh';
import type { Connection, Route } from '../connector.ts';
import { PacedReads } from '../paced-reads.ts';
import { guardBacklog } from '../ssh/backpressure.ts';
import type {
  DesktopEvents,
  DesktopProblem,
  DesktopRequest,
  DesktopRights,
  DesktopView,
  DesktopWatch,
  TargetDesktop,
  TargetDrive,
} from '../target-desktop.ts';
import type { TargetEnd } from '../target-end.ts';
import { connectRdp, type RdpConnection } from './connect.ts';
import { endOfReason } from './end-reasons.ts';
import { reportOf } from './file-reports.ts';
import { PacedResizes } from './paced-resizes.ts';
import { type RdpLogin, signInOf } from './sign-in.ts';

/** Unread bytes above which the drive waits: few, because the input of the user waits, too. */
const DRIVE_BACKLOG = 64 * 1024;
/** Bytes of a message to the page that are not exceeded by putting PDUs together. */
const MAX_BATCH = 48 * 1024;

const chunks = new Slab();

/**
 * Opens the desktop of a connection. Sends nothing to the server until the page begins.
 * @throws Refusal
 */
export function openRdpDesktop(
  connection: RdpConnection,
  login: RdpLogin,
  request: DesktopRequest,
  events: DesktopEvents,
): TargetDesktop {
  return new RdpDesktop(connection, login, request, events);
}

class RdpDesktop implements TargetDesktop {
  #facts: DesktopFacts;
  readonly #resizes = new PacedResizes((size) => this.#relay.resize(size));
  readonly #connection: RdpConnection;
  readonly #events: DesktopEvents;
  readonly #relay: RdpRelay;
  readonly #fromServer = new PduReader();
  readonly #reads: PacedReads;
  readonly #fromPage = new PduReader();
  readonly #views = new Set<{ readonly show: DesktopView; hasBegun: boolean }>();
  /** PDUs for the browser that one turn of the event loop has read. */
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #hasSaidGoodbye = false;
  #endReason: ReturnType<typeof endOfReason>;
  #isOver = false;

  constructor(
    connection: RdpConnection,
    login: RdpLogin,
    request: DesktopRequest,
    events: DesktopEvents,
  ) {
    const { stream, protocol } = connection;
    const size = screenFor(request);
    this.#facts = { protocol: 'rdp', ...size, name: request.name };
    this.#connection = connection;
    this.#events = events;
    this.#relay = new RdpRelay(
      {
        protocol,
        size,
        colors: request.colors ?? 32,
        keyboardLayout: request.keyboard ? KEYBOARD_LAYOUTS[request.keyboard] : 0,
        passes: { texts: request.clipboard, files: request.files },
        fileLimits: { files: MAX_DESKTOP_FILES, bytes: MAX_DESKTOP_FILE },
        clientInfo: signInOf(login, protocol, request),
        isConsole: login.isConsole,
        drive: request.drive && this.#driveOf(request.drive),
      },
      {
        toServer: (pdu) => void stream.write(pdu),
        toBrowser: (pdu) => this.#show(pdu),
        picture: (pdu, isSetup) => this.#picture(pdu, isSetup),
        input: ({ pointer, keys }) => {
          for (const key of keys) events.onKey({ ...key, kind: KEY_VALUE[key.kind] });
          events.onInput(pointer);
        },
        files: (rights) => events.onFiles(rights),
        uploads: reportOf(events, 'upload'),
        downloads: reportOf(events, 'download'),
        resizable: () => events.onResizable(),
        resized: (size) => {
          if (size.width * size.height > MAX_DESKTOP_PIXELS)
            throw new BadPdu('a desktop is too large');
          this.#facts = { ...this.#facts, ...size };
        },
        goodbye: () => {
          this.#hasSaidGoodbye = true;
        },
        endReason: (code) => {
          this.#endReason = endOfReason(code);
        },
      },
    );
    this.#reads = new PacedReads(stream, {
      read: (pdu) =>
        this.#guarded('desktop_unknown_data', () => {
          if (!this.#isOver) this.#relay.fromServer(pdu);
        }),
    });
    guardBacklog(stream, () => this.#end('flooded'));
    // A buffer for each of the small TLS records would cost more than this copy.
    shareReads(stream);
    stream.on('data', (chunk: Buffer) => this.#read(chunks.copy(chunk)));
    stream.on('drain', () => events.onDrain());
    // The last messages may hold the reason.
    stream.on('end', () => this.#reads.after(() => this.#endOfStream(true)));
    stream.on('close', () => this.#reads.after(() => this.#endOfStream(this.#hasSaidGoodbye)));
  }

  get facts(): DesktopFacts {
    return this.#facts;
  }

  resize(size: ScreenSize): void {
    this.#resizes.request(screenFor(size));
  }

  get waiting(): number {
    return this.#connection.stream.writableLength;
  }

  write(bytes: Buffer): void {
    if (this.#isOver) return;
    const { stream } = this.#connection;
    // The PDUs of a message go as one TLS record.
    stream.cork();
    this.#guarded('desktop_wrong_input', () => {
      for (const pdu of this.#fromPage.push(bytes)) this.#relay.fromBrowser(pdu);
    });
    stream.uncork();
  }

  setRights({ clipboard, files }: DesktopRights): void {
    // Failing pending requests may overflow the queue, which ends the session.
    this.#guarded('desktop_wrong_input', () => this.#relay.setRights({ texts: clipboard, files }));
  }

  /**
   * Adds a watcher. It receives the server's setup PDUs first, and a refresh request yields the
   * full picture, because bitmaps are self-contained.
   */
  watch(show: DesktopView): DesktopWatch {
    const view = { show, hasBegun: false };
    this.#views.add(view);
    this.#beginView(view);
    return { refresh: () => this.#relay.refresh(), stop: () => this.#views.delete(view) };
  }

  pause(): void {
    this.#reads.pause();
  }

  resume(): void {
    this.#reads.resume();
  }

  close(): void {
    this.#end('closed');
  }

  #driveOf(drive: TargetDrive): RelayDrive {
    const { stream } = this.#connection;
    return {
      folder: drive.folder,
      accepted: () => drive.accepted(),
      changed: () => drive.changed(),
      ready: () => hasRoom(stream),
      failed: (error) =>
        this.#guarded('desktop_unknown_data', () => {
          throw error;
        }),
    };
  }

  #read(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#guarded('desktop_unknown_data', () => this.#reads.push(this.#fromServer.push(chunk)));
  }

  /** A changed screen arrives as more than a hundred TLS records: its PDUs become few messages. */
  #show(pdu: Buffer): void {
    if (this.#batchBytes > 0 && this.#batchBytes + pdu.length > MAX_BATCH) this.#showBatch();
    if (this.#batchBytes === 0) setImmediate(() => this.#showBatch());
    this.#batch.push(pdu);
    this.#batchBytes += pdu.length;
  }

  #showBatch(): void {
    if (this.#batchBytes === 0) return;
    const bytes = joinPdus(this.#batch, this.#batchBytes);
    this.#batch = [];
    this.#batchBytes = 0;
    this.#events.onShow(bytes);
  }

  #picture(pdu: Buffer, isSetup = false): void {
    this.#events.onPicture(pdu, true, isSetup);
    for (const view of this.#views) {
      if (view.hasBegun) view.show(pdu, true);
      else this.#beginView(view);
    }
  }

  #beginView(view: { readonly show: DesktopView; hasBegun: boolean }): void {
    const beginning = this.#relay.beginning();
    if (beginning.length === 0) return;
    view.hasBegun = true;
    view.show(Buffer.concat(beginning), true);
    this.#relay.refresh();
  }

  #guarded(problem: DesktopProblem, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof BadPdu)) throw error;
      this.#end(problem, error.message);
    }
  }

  /** Ends with the reason of the server, if it sent one. */
  #endOfStream(isProper: boolean): void {
    const { how = isProper ? 'closed' : 'lost', number } = this.#endReason ?? {};
    this.#end(how, number);
  }

  #end(how: TargetEnd | DesktopProblem, detail?: string): void {
    if (this.#isOver) return;
    this.#showBatch();
    this.#isOver = true;
    this.#resizes.stop();
    this.#reads.end();
    this.#views.clear();
    this.#connection.close();
    this.#events.onEnd(how, detail);
  }
}

/** Settles when the server has read enough, or the stream has ended. */
async function hasRoom(stream: TLSSocket): Promise<void> {
  while (!stream.destroyed && stream.writableLength > DRIVE_BACKLOG)
    await new Promise<void>((done) => {
      const finish = () => {
        stream.off('drain', finish).off('close', finish);
        done();
      };
      stream.on('drain', finish).on('close', finish);
    });
}

/**
 * Connects to an RDP desktop (Windows, or xrdp on Linux), directly or through SSH gateways. Always
 * uses TLS.
 */
export async function connectRdpDesktop(route: Route, signal: AbortSignal): Promise<Connection> {
  const connection = await connectRdp(route, signal);
  const { host, port, login, rdpConsole } = route.target;
  const account = {
    host: `${host}:${port}`,
    username: login.username,
    password: login.password ?? '',
    isConsole: rdpConsole === true,
  };
  return {
    openDesktop: async (request, events) => openRdpDesktop(connection, account, request, events),
    close: connection.close,
  };
}
