import { INPUT_METHOD_KEY } from '../../kit/composing.ts';

/** Keys that the deletions of an on-screen keyboard type, by input type. */
const DELETIONS: Readonly<Record<string, string>> = {
  deleteContentBackward: '\x7f',
  deleteWordBackward: '\x17',
  deleteSoftLineBackward: '\x15',
  deleteHardLineBackward: '\x15',
  deleteContentForward: '\x1b[3~',
};
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

/** Returns the text that an input event outside of a composition types. */
function typedBy({ inputType, data }: InputEvent): string {
  if (LINE_ENDS.has(inputType)) return '\r';
  return DELETIONS[inputType] ?? data ?? '';
}

/**
 * Types the text of input methods that send none by composition: punctuation, dictation, keys of
 * phones. xterm.js 6.0.0 looks for such text once, directly after the key, and drops text that
 * comes later. Compositions are left to it.
 *
 * @param place - contains the field of the terminal
 * @param type - types a text as if it came from the keyboard
 */
export function hearInputMethods(place: HTMLElement, type: (text: string) => void): void {
  let composing = false;
  // The terminal reads its field a moment after a composition, with all that was added meanwhile.
  let reading = false;
  // The last key is the terminal's own: it has typed, so an input event that follows is its echo.
  let isOrdinary = false;

  const capture = { capture: true };
  place.addEventListener('compositionstart', () => {
    composing = true;
  });
  // Not captured: this timer must run after the one of the terminal.
  place.addEventListener('compositionend', () => {
    composing = false;
    reading = true;
    setTimeout(() => {
      reading = false;
    });
  });
  place.addEventListener(
    'keydown',
    (event) => {
      isOrdinary = !isKeyOfInputMethod(event);
      if (!isOrdinary && !composing && !reading) event.stopPropagation();
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
      if (composing || reading || isOrdinary) return;
      event.stopPropagation();
      const text = typedBy(event);
      if (text) type(text);
    },
    capture,
  );
}
