import { Backend, enableCredssp, init } from '@devolutions/iron-remote-desktop-rdp';
import {
  type FileFromFrame,
  FRAME_START,
  type FrameStart,
  type FromFrame,
  type ToFrame,
} from '../../kit/rdp-frame/messages.ts';
import { controlFiles, fileExtensions, listenToDrops } from './files.ts';
import { type InputTarget, listenToInput } from './inputs.ts';
import { connectSockets, deliver, PageSocket, RecordedServer } from './page-socket.ts';
import { kindOf, PduSplitter } from './pdus.ts';
import { cursorOf, PointerShapes } from './pointer-shapes.ts';

/**
 * One desktop in a frame of its own: a fault of the WebAssembly ends this frame and nothing else, and only this page may compile WebAssembly. The page around it has the
 * connection; here are the picture and the person's hands.
 */

/** What the library signs in with. The gateway has signed in already, and replaces it. */
const DUMMY = 'dummy';
/** Nobody goes there: its socket is ours. */
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

/** An error of the library has its text in a method. */
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

  const splitter = new PduSplitter();
  const shapes = new PointerShapes();
  const recorded = start.isViewOnly ? new RecordedServer() : undefined;
  const begun = Promise.withResolvers<void>();
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
    // The library draws in microtasks, so all of it is drawn when the next task comes.
    const done = () => void setTimeout(() => tell({ type: 'taken' }));
    // What was recorded comes all at once, also to a library that still connects: it draws when it has.
    if (recorded) recorded.push(pdus, () => void (hasPicture ? begun.promise.then(done) : done()));
    else {
      for (const pdu of pdus) deliver(pdu);
      done();
    }
  };
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
    if (data.type === 'bytes') take(data.bytes);
    else if (data.type === 'fit') document.body.classList.toggle('scrolls', !data.fits);
    else if (data.type === 'focus') canvas.focus();
    else if (data.type === 'blur') canvas.blur();
    else control?.(data);
  };

  // The library finds the socket of the page where it looks for WebSocket; nothing else is in this frame.
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
    // Shapes of the pointer are read by us.
    .setCursorStyleCallback(() => undefined)
    .canvasResizedCallback(() => undefined)
    .remoteClipboardChangedCallback((content: InstanceType<typeof Backend.ClipboardData>) => {
      for (const item of content.items()) {
        const value: unknown = item.value();
        if (item.mimeType() === 'text/plain' && typeof value === 'string')
          tell({ type: 'text', text: value });
      }
    })
    // The server asks what the clipboard has; without an answer the next copy would end the session.
    .forceClipboardUpdateCallback(() => control?.({ type: 'paste', text: '' }))
    .extension(enableCredssp(false));
  const tellFile = (message: FileFromFrame, transfer?: Transferable[]) =>
    tell({ type: 'files', message }, transfer);
  if (!start.isViewOnly) {
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
  // The gateway says why a session ended; the library only that it did.
  await ended;
}

/** What a page may ask of a running session. */
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
    else if (message.type === 'paste') {
      const content = new Backend.ClipboardData();
      if (message.text) content.addText('text/plain', message.text);
      // A server without a clipboard takes none.
      session.onClipboardPaste(content).catch(() => undefined);
    }
  };
}
