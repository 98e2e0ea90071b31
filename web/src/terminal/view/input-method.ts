import { INPUT_METHOD_KEY } from '../../kit/composing.ts';

/** Keys that the deletions of an on-screen keyboard type, by input type. */
const DELETIONS: Readonly<Record<string, string>> = {
  deleteContentBackward: '\x7f',
  deleteWordBackward: '\x17',
  deleteSoftLineBackward: '\x15',
  deleteHardLineBackward: '\x15',
  deleteContentForward: '\x1b[3~',
};
/** Keys at which the terminal still waits for the end of a composition. */
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'CapsLock']);
const LINE_ENDS = new Set(['insertLineBreak', 'insertParagraph']);

/**
 * True for a key without a place on the keyboard: its text comes as an input event, at once or some
 * time later. iPads report the arrows of a real keyboard with number 0, too.
 */
function isKeyOfInputMethod({ keyCode, key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  if (keyCode === INPUT_METHOD_KEY) return true;
  if (keyCode !== 0 || ctrlKey || altKey || metaKey) return false;
  return key !== 'Dead' && !key.startsWith('UIKeyInput');
}

/** Numbers of the keys that an active input method of Windows passes on, by their places. */
const PASSED_KEYS: Readonly<Record<string, number>> = { Escape: 27, Space: 32 };

/**
 * Returns the number of a key that an input method of Windows only passes on: Escape, and a letter
 * or the space with Ctrl. Chromium reports 229 for them, but no text follows (xterm.js issue 6065).
 */
function passedKeyOf(event: KeyboardEvent): number | undefined {
  const { keyCode, code, isComposing, altKey, metaKey } = event;
  if (keyCode !== INPUT_METHOD_KEY || isComposing || altKey || metaKey) return undefined;
  if (!event.ctrlKey) return code === 'Escape' ? PASSED_KEYS[code] : undefined;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  return letter ? letter.charCodeAt(0) : PASSED_KEYS[code];
}

/** Presses a key again under its number, as if no input method were active. */
function pressPlainly(event: KeyboardEvent, keyCode: number): void {
  const { key, code, ctrlKey, shiftKey } = event;
  const again = { key, code, ctrlKey, shiftKey, bubbles: true, cancelable: true, composed: true };
  event.stopImmediatePropagation();
  const isDone = !event.target?.dispatchEvent(new KeyboardEvent('keydown', { ...again, keyCode }));
  if (isDone) event.preventDefault();
}

/** Returns the text that an input event outside of a composition types. */
function typedBy({ inputType, data }: InputEvent): string {
  if (LINE_ENDS.has(inputType)) return '\r';
  return DELETIONS[inputType] ?? data ?? '';
}

/** Part of the field that the terminal has not read yet: a composition, and all that came since. */
interface Unread {
  readonly field: HTMLTextAreaElement;
  readonly start: number;
  /** Start of the next composition. */
  end?: number;
}

const textOf = ({ field, start, end }: Unread) => field.value.slice(start, end);

/**
 * Types the text of input methods that send none by composition: punctuation, dictation, keys of
 * phones. xterm.js 6.0.0 looks for such text once, directly after the key, and drops text that
 * comes later. Compositions are left to it: it reads its field a moment after their end. Text that
 * is added meanwhile is typed by that reading alone. Where a key comes first, we type it.
 *
 * @param place - contains the field of the terminal.
 * @param type - types a text as if it came from the keyboard.
 * @param onTyped - calls back with each text that the terminal has typed.
 */
export function hearInputMethods(
  place: HTMLElement,
  type: (text: string) => void,
  onTyped: (listener: (text: string) => void) => void,
): void {
  let composition: Unread | undefined;
  let unread: Unread | undefined;
  // The last key is the terminal's own: it has typed, so an input event that follows is its echo.
  let isOrdinary = false;

  const typeUnread = () => {
    const text = unread ? textOf(unread) : '';
    unread = undefined;
    if (text) type(text);
  };
  onTyped((text) => {
    // The terminal answers to questions of programs, too; these answers begin with Escape.
    if (!text.startsWith('\x1b')) unread = undefined;
  });

  const capture = { capture: true };
  place.addEventListener('compositionstart', ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement)) return;
    const start = target.value.length;
    composition = { field: target, start };
    if (unread) unread.end = start;
  });
  // Not captured: this timer must run after the one of the terminal.
  place.addEventListener('compositionend', () => {
    const ended = composition;
    composition = undefined;
    // The terminal reads both in one go, or neither where a key comes first.
    const pending = unread && ended ? { field: ended.field, start: unread.start } : ended;
    unread = pending;
    setTimeout(() => {
      if (unread === pending) typeUnread();
    });
  });
  place.addEventListener(
    'keydown',
    (event) => {
      const passed = composition ? undefined : passedKeyOf(event);
      if (passed !== undefined) {
        pressPlainly(event, passed);
        return;
      }
      // Sogou for macOS reports its own keys with their numbers (xterm.js issue 4486).
      const isOfComposition = composition !== undefined && event.isComposing;
      if (isOfComposition && event.keyCode !== INPUT_METHOD_KEY) event.stopPropagation();
      isOrdinary = !isOfComposition && !isKeyOfInputMethod(event);
      if (!isOrdinary && !composition && !unread) event.stopPropagation();
      if (!isOrdinary || !unread || MODIFIERS.has(event.key)) return;
      // The terminal would read the field now, up to where an earlier text ended. It reads it again
      // later, from the same start, which must stay where the next composition starts.
      const { field, start } = unread;
      const before = field.value.slice(0, start);
      typeUnread();
      if (composition) return;
      field.value = '';
      const restore = () => {
        field.value = before;
      };
      // After the terminal's own listener, which is captured at the field, too.
      field.addEventListener('keydown', restore, { once: true, capture: true });
    },
    capture,
  );
  place.addEventListener(
    'keypress',
    () => {
      isOrdinary = true;
    },
    capture,
  );
  place.addEventListener(
    'keyup',
    () => {
      isOrdinary = false;
    },
    capture,
  );
  place.addEventListener(
    'input',
    (event) => {
      if (!(event instanceof InputEvent) || event.isComposing) return;
      // The terminal would type it now, before the composition, and once more when it reads.
      if (unread) event.stopPropagation();
      if (composition || unread || isOrdinary) return;
      event.stopPropagation();
      const text = typedBy(event);
      if (text) type(text);
    },
    capture,
  );
}
