import type { Backend as Rdp } from '@devolutions/iron-remote-desktop-rdp';
import type { PressedKey } from '../../kit/rdp-frame/messages.ts';
import { addKeyField, type KeyField } from '../desktop/key-field.ts';
import { scanCodeOf } from './scan-codes.ts';

type Backend = typeof Rdp;
type Event = ReturnType<Backend['DeviceEvent']['keyPressed']>;
/** The receiver of the user's input events. */
export interface InputTarget {
  applyInputs(transaction: InstanceType<Backend['InputTransaction']>): void;
  releaseAllInputs(): void;
  synchronizeLockKeys(scroll: boolean, number: boolean, capital: boolean, kana: boolean): void;
}

/**
 * Forwards the user's input on the canvas. The desktop gets every key while its field has the
 * focus, except Ctrl+Alt+Shift, which releases the keyboard.
 */
export function listenToInput(
  canvas: HTMLCanvasElement,
  backend: Backend,
  target: InputTarget,
  onLeave: () => void,
): { press(keys: readonly PressedKey[]): void } & KeyField {
  const send = (...events: readonly Event[]) => {
    const transaction = new backend.InputTransaction();
    for (const event of events) transaction.addEvent(event);
    target.applyInputs(transaction);
  };
  const place = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    // The picture keeps its aspect ratio inside the canvas box.
    const scale = Math.min(box.width / canvas.width, box.height / canvas.height) || 1;
    const within = (value: number, size: number, side: number) =>
      Math.max(0, Math.min(side - 1, Math.round((value - (size - side * scale) / 2) / scale)));
    return backend.DeviceEvent.mouseMove(
      within(event.clientX - box.left, box.width, canvas.width),
      within(event.clientY - box.top, box.height, canvas.height),
    );
  };
  let locks = '';
  const followLocks = (event: KeyboardEvent | MouseEvent) => {
    const on = ['ScrollLock', 'NumLock', 'CapsLock', 'KanaMode'].map((name) =>
      event.getModifierState(name),
    );
    if (on.join() === locks) return;
    locks = on.join();
    target.synchronizeLockKeys(on[0] ?? false, on[1] ?? false, on[2] ?? false, on[3] ?? false);
  };
  let isLeaving = false;

  canvas.addEventListener('pointerdown', (event) => {
    field.focus();
    canvas.setPointerCapture(event.pointerId);
    followLocks(event);
    send(place(event), backend.DeviceEvent.mouseButtonPressed(event.button));
    event.preventDefault();
  });
  canvas.addEventListener('pointermove', (event) => send(place(event)));
  canvas.addEventListener('pointerup', (event) =>
    send(place(event), backend.DeviceEvent.mouseButtonReleased(event.button)),
  );
  canvas.addEventListener('pointercancel', (event) =>
    send(backend.DeviceEvent.mouseButtonReleased(event.button)),
  );
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const isVertical = event.deltaY !== 0;
      send(
        place(event),
        backend.DeviceEvent.wheelRotations(
          isVertical,
          -(isVertical ? event.deltaY : event.deltaX),
          event.deltaMode,
        ),
      );
    },
    { passive: false },
  );
  canvas.addEventListener('keydown', (event) => {
    event.preventDefault();
    const code = scanCodeOf(event.code);
    if (event.ctrlKey && event.altKey && event.shiftKey) isLeaving = true;
    if (code === undefined) return;
    followLocks(event);
    send(backend.DeviceEvent.keyPressed(code));
  });
  canvas.addEventListener('keyup', (event) => {
    event.preventDefault();
    const code = scanCodeOf(event.code);
    if (code !== undefined) send(backend.DeviceEvent.keyReleased(code));
    if (!isLeaving || event.ctrlKey || event.altKey || event.shiftKey) return;
    isLeaving = false;
    field.blur();
    onLeave();
  });
  // Release held keys: the canvas misses their keyup events after it loses the focus.
  canvas.addEventListener('blur', () => target.releaseAllInputs());

  const press = (keys: readonly PressedKey[]) => {
    const events = keys.map((key) => eventsOf(backend, key));
    send(...events.map(([pressed]) => pressed));
    send(...events.toReversed().map(([, released]) => released));
  };
  const label = canvas.getAttribute('aria-label') ?? '';
  const field = addKeyField({
    ...{ parent: document.body, canvas, label, press },
    composesDeadKeys: false,
  });
  return { ...field, press };
}

/**
 * Encodes a key by its scan code if it has one, otherwise by its character (X11 protocol, appendix
 * A).
 */
function eventsOf({ DeviceEvent }: Backend, [keysym, code]: PressedKey): readonly [Event, Event] {
  const scanCode = scanCodeOf(code);
  if (scanCode !== undefined)
    return [DeviceEvent.keyPressed(scanCode), DeviceEvent.keyReleased(scanCode)];
  const character = String.fromCodePoint(keysym > 0x0100_0000 ? keysym - 0x0100_0000 : keysym);
  return [DeviceEvent.unicodePressed(character), DeviceEvent.unicodeReleased(character)];
}
