import { isComposing } from '../../kit/composing.ts';
import type { Key } from './keys.ts';
import { takeText } from './text-intake.ts';

export interface KeyFieldParts {
  /** Element that gets the field. */
  readonly parent: HTMLElement;
  /** The picture. It receives copies of the key events, and `blur`. */
  readonly canvas: HTMLCanvasElement;
  readonly label: string;
  /** The browser composes dead keys; otherwise the desktop does, by the places of the keys. */
  readonly composesDeadKeys: boolean;
  readonly press: (keys: readonly Key[]) => void;
}

export interface KeyField {
  focus(): void;
  blur(): void;
  /** Removes the field. */
  end(): void;
}

const HIDDEN = 'opacity:0;width:1px';
const COMPOSING = 'opacity:1;width:16em';
/** Room for a composed text next to the right and lower edge of the window, in pixels. */
const ROOM = { x: 280, y: 32 };

/**
 * Adds a field at the pointer that has the keyboard focus instead of the picture, because browsers
 * offer input methods, dead keys and dictation to fields only. It is visible while an input method
 * composes a text. Keys go to the picture; none stays down when the focus goes.
 */
export function addKeyField(parts: KeyFieldParts): KeyField {
  const { parent, canvas, press } = parts;
  const field = fieldFor(parts);
  parent.append(field);
  const over = new AbortController();
  const { signal } = over;
  takeText(field, press, signal);
  passKeys(field, parts, signal);
  const focus = () => field.focus({ preventScroll: true });
  if (document.activeElement === canvas) focus();
  for (const kind of ['mousedown', 'touchstart', 'focus'])
    canvas.addEventListener(kind, focus, { signal, passive: true });
  canvas.addEventListener(
    'pointermove',
    ({ clientX, clientY }) => {
      field.style.left = `${Math.max(0, Math.min(clientX, window.innerWidth - ROOM.x))}px`;
      field.style.top = `${Math.max(0, Math.min(clientY, window.innerHeight - ROOM.y))}px`;
    },
    { signal },
  );
  return {
    focus,
    blur: () => field.blur(),
    end() {
      over.abort();
      field.remove();
    },
  };
}

function fieldFor({ canvas, label }: KeyFieldParts): HTMLTextAreaElement {
  const field = document.createElement('textarea');
  field.setAttribute('aria-label', label);
  field.autocomplete = 'off';
  field.autocapitalize = 'none';
  field.spellcheck = false;
  // A tap on the picture opens no on-screen keyboard: the toolbar has a field for it.
  field.inputMode = 'none';
  field.rows = 1;
  field.tabIndex = canvas.tabIndex;
  canvas.tabIndex = -1;
  const base =
    'position:fixed;z-index:1;pointer-events:none;resize:none;overflow:hidden;white-space:nowrap;' +
    'padding:2px 4px;border:0;outline:0;font-size:16px;color:CanvasText;background:Canvas;';
  field.style.cssText = `${base}left:0;top:0;${HIDDEN}`;
  const show = (look: string) => () => {
    const { left, top } = field.style;
    field.style.cssText = `${base}left:${left};top:${top};${look}`;
  };
  field.addEventListener('compositionstart', show(COMPOSING));
  field.addEventListener('compositionend', show(HIDDEN));
  return field;
}

function passKeys(
  field: HTMLTextAreaElement,
  { canvas, composesDeadKeys }: KeyFieldParts,
  signal: AbortSignal,
): void {
  /** Held keys with their names, by place. */
  const held = new Map<string, string>();
  let isAfterDead = false;
  const release = () => {
    for (const [code, key] of held)
      canvas.dispatchEvent(new KeyboardEvent('keyup', { code, key, cancelable: true }));
    held.clear();
  };
  /** Returns true if a key becomes text in the field. */
  const isText = (event: KeyboardEvent): boolean => {
    if (event.key === 'Dead') {
      isAfterDead = composesDeadKeys;
      return composesDeadKeys;
    }
    if (isComposing(event)) return true;
    if (isModifier(event)) return false;
    const wasAfterDead = isAfterDead;
    isAfterDead = false;
    return wasAfterDead && isCharacter(event);
  };
  field.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (isText(event)) return;
    event.preventDefault();
    held.set(event.code, event.key);
    canvas.dispatchEvent(copyOf(event));
  });
  // On the document: the focus may have left the field without an event, as when a tab is hidden.
  document.addEventListener(
    'keyup',
    (event) => {
      // A copy for the picture.
      if (event.target === canvas) return;
      if (event.target === field) event.preventDefault();
      if (!held.delete(event.code)) return;
      canvas.dispatchEvent(copyOf(event));
      // macOS reports no keys that are released while Meta is held.
      if (event.key === 'Meta') release();
    },
    { capture: true, signal },
  );
  field.addEventListener('blur', () => {
    release();
    isAfterDead = false;
    canvas.dispatchEvent(new FocusEvent('blur'));
  });
}

const isModifier = ({ key }: KeyboardEvent): boolean =>
  ['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'].includes(key);

/** True for a key that types a character. AltGr of Windows is Ctrl and Alt. */
const isCharacter = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  [...key].length === 1 && !metaKey && ctrlKey === altKey;

/** Copies an event of the field for the picture, with the states of its lock keys. */
function copyOf(event: KeyboardEvent): KeyboardEvent {
  const { key, code, location, repeat, keyCode, ctrlKey, shiftKey, altKey, metaKey } = event;
  const copy = new KeyboardEvent(event.type, {
    ...{ key, code, location, repeat, keyCode, ctrlKey, shiftKey, altKey, metaKey },
    cancelable: true,
  });
  Object.defineProperty(copy, 'getModifierState', {
    value: (name: string) => event.getModifierState(name),
  });
  return copy;
}
