import { Backend, displayControl, enableCredssp, init } from '@devolutions/iron-remote-desktop-rdp';
import {
  type FileFromFrame,
  FRAME_START,
  type FrameStart,
  type FromFrame,
  type ToFrame,
} from '../../kit/rdp-frame/messages.ts';
import { markCanvas } from '../../kit/watermark/mark-canvas.ts';
import { controlFiles, fileExtensions, listenToDrops } from './files.ts';
import { type InputTarget, listenToInput } from './inputs.ts';
import { connectSockets, deliver, PageSocket, RecordedServer } from './page-socket.ts';
import { kindOf, PduSplitter } from './pdus.ts';
import { cursorOf, PointerShapes } from './pointer-shapes.ts';
import { SizedShares } from './sized-shares.ts';

/**
 * Runs one desktop in its own frame. A fault of the WebAssembly ends only this frame, and only this
 * page may compile WebAssembly. The surrounding page owns the connection; this frame owns the
 * picture and the input.
 */

/** Placeholder credentials for the library. The gateway has already signed in and replaces them. */
const DUMMY = 'dummy';
/** The library never connects to this address: the frame replaces its WebSocket. */
const NOWHERE = 'ws://desktop.invalid/';

window.addEventListener('message', ({ origin, source, data, ports }) => {
  const [port] = ports;
  if (origin !== window.location.origin || source !== window.parent || !port || !isStart(data))
    return;
  const tell = (message: FromFrame, transfer: Transferable[] = []) =>
    port.postMessage(message, transfer);
  run(data, port, tell).catch((error: unknown) => console.error(reasonOf(error)));
});
window.parent.postMessage({ type: FRAME_START }, window.location.origin);

function isStart(value: unknown): value is FrameStart {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === FRAME_START &&
    'width' in value
  );
}

/** Errors of the library return their text from a method. */
function reasonOf(error: unknown): string {
  if (
    typeof error === 'object' &&
    error !== null &&
    'backtrace' in error &&
    typeof error.backtrace === 'function'
  )
    return String(error.backtrace());
  return error instanceof Error ? error.message : String(error);
}

async function run(
  start: FrameStart,
  port: MessagePort,
  tell: (message: FromFrame, transfer?: Transferable[]) => void,
): Promise<void> {
  const canvas = document.getElementById('screen');
  if (!(canvas instanceof HTMLCanvasElement)) throw new Error('the frame has no canvas');
  canvas.width = start.width;
  canvas.height = start.height;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', start.label);
  if (start.watermark) markCanvas(canvas, start.watermark, start.time);

  const splitter = new PduSplitter();
  const shapes = new PointerShapes();
  const begun = Promise.withResolvers<void>();
  const shares = new SizedShares(canvas, {
    deliver,
    begun: begun.promise,
    onSize: (size) => tell({ type: 'size', ...size }),
  });
  const recorded = start.isViewOnly ? new RecordedServer((pdu) => shares.deliver(pdu)) : undefined;
  connectSockets(
    recorded ?? { fromClient: (bytes) => tell({ type: 'bytes', bytes }, [bytes.buffer]) },
  );
  let control: ReturnType<typeof controlOf> | undefined;

  let hasPicture = false;

  const take = (bytes: Uint8Array<ArrayBuffer>) => {
    const pdus = splitter.push(bytes);
    for (const pdu of pdus) {
      hasPicture ||= kindOf(pdu) === undefined;
      const shape = shapes.read(pdu);
      if (shape !== undefined && !start.isViewOnly) canvas.style.cursor = cursorOf(shape);
    }
    // The library draws in microtasks, so the next task runs after all drawing.
    const done = () =>
      void shares.settled().then(() => void setTimeout(() => tell({ type: 'taken' })));
    // Recorded data arrives at once, even while the library connects. The library draws it after it
    // has connected.
    if (recorded) recorded.push(pdus, () => void (hasPicture ? begun.promise.then(done) : done()));
    else {
      for (const pdu of pdus) shares.deliver(pdu);
      done();
    }
  };
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
    if (data.type === 'bytes') take(data.bytes);
    else if (data.type === 'fit') document.body.classList.toggle('scrolls', !data.fits);
    else if (control) control(data);
    // The session takes the focus over when it has begun.
    else if (data.type === 'focus') canvas.focus();
    else if (data.type === 'blur') canvas.blur();
  };

  // The library looks up its socket as the global WebSocket. No other code in this frame uses it.
  Reflect.set(window, 'WebSocket', PageSocket);
  await init('ERROR');
  const builder = new Backend.SessionBuilder()
    .username(DUMMY)
    .password(DUMMY)
    .serverDomain('')
    .destination('desktop:3389')
    .proxyAddress(NOWHERE)
    .authToken(DUMMY)
    .desktopSize(new Backend.DesktopSize(start.width, start.height))
    .renderCanvas(canvas)
    .setCursorStyleCallbackContext(null)
    // The frame parses pointer shapes (see PointerShapes).
    .setCursorStyleCallback(() => undefined)
    .canvasResizedCallback(() => undefined)
    .remoteClipboardChangedCallback((content: InstanceType<typeof Backend.ClipboardData>) => {
      for (const item of content.items()) {
        const value: unknown = item.value();
        if (item.mimeType() === 'text/plain' && typeof value === 'string')
          tell({ type: 'text', text: value });
      }
    })
    // The server requests the clipboard formats. Without an answer the next copy would end the
    // session.
    .forceClipboardUpdateCallback(() => control?.({ type: 'paste', text: '' }))
    .extension(enableCredssp(false));
  const tellFile = (message: FileFromFrame, transfer?: Transferable[]) =>
    tell({ type: 'files', message }, transfer);
  if (!start.isViewOnly) {
    // Requests the channel of dynamic channels, on which only the gateway speaks.
    builder.extension(displayControl(true));
    for (const extension of fileExtensions(tellFile)) builder.extension(extension);
    listenToDrops(tellFile);
  }
  const session = await builder.connect().catch((error: unknown) => {
    begun.resolve();
    throw error;
  });
  const ended = session.run();
  begun.resolve();
  if (!start.isViewOnly) {
    const others = controlOf(canvas, session, () => tell({ type: 'leave' }));
    const files = controlFiles(session, tellFile);
    control = (message) => (message.type === 'files' ? files(message.message) : others(message));
  }
  // The gateway reports the reason of an ended session; the library reports only the end.
  await ended;
}

/** Commands of the page for a running session. */
function controlOf(
  canvas: HTMLCanvasElement,
  session: InputTarget & {
    onClipboardPaste(content: InstanceType<typeof Backend.ClipboardData>): Promise<void>;
  },
  onLeave: () => void,
): (message: ToFrame) => void {
  const keys = listenToInput(canvas, Backend, session, onLeave);
  return (message) => {
    if (message.type === 'keys') keys.press(message.keys);
    else if (message.type === 'focus') keys.focus();
    else if (message.type === 'blur') keys.blur();
    else if (message.type === 'paste') {
      const content = new Backend.ClipboardData();
      if (message.text) content.addText('text/plain', message.text);
      // A server without a clipboard rejects the text.
      session.onClipboardPaste(content).catch(() => undefined);
    }
  };
}
