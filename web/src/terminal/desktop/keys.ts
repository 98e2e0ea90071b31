/** A key by its X keysym and its place on a keyboard (UI Events KeyboardEvent code). */
export type Key = readonly [keysym: number, code: string];

const CONTROL: Key = [0xffe3, 'ControlLeft'];
const ALT: Key = [0xffe9, 'AltLeft'];
export const SHIFT: Key = [0xffe1, 'ShiftLeft'];
const META: Key = [0xffeb, 'MetaLeft'];
const TAB: Key = [0xff09, 'Tab'];
export const BACKSPACE: Key = [0xff08, 'Backspace'];
const ESCAPE: Key = [0xff1b, 'Escape'];
const functionKey = (number: number): Key => [0xffbd + number, `F${number}`];

/** Keys that the browser or the user's operating system does not pass to the page. */
export const KEY_CHOICES: readonly { readonly label: string; readonly keys: readonly Key[] }[] = [
  { label: 'Ctrl + Alt + Del', keys: [CONTROL, ALT, [0xffff, 'Delete']] },
  { label: 'Alt + Tab', keys: [ALT, TAB] },
  { label: 'Alt + F4', keys: [ALT, functionKey(4)] },
  { label: 'Ctrl + Esc', keys: [CONTROL, ESCAPE] },
  { label: 'Super / Windows', keys: [META] },
  { label: 'Tab', keys: [TAB] },
  { label: 'Esc', keys: [ESCAPE] },
  { label: 'F11', keys: [functionKey(11)] },
  { label: 'PrintScreen', keys: [[0xff61, 'PrintScreen']] },
  { label: 'Ctrl + Alt + F1', keys: [CONTROL, ALT, functionKey(1)] },
  { label: 'Ctrl + Alt + F7', keys: [CONTROL, ALT, functionKey(7)] },
];

const MODIFIERS: readonly Key[] = [
  CONTROL,
  ALT,
  SHIFT,
  META,
  [0xffe4, 'ControlRight'],
  [0xffea, 'AltRight'],
  [0xffe2, 'ShiftRight'],
  [0xffec, 'MetaRight'],
];

/** Releases all modifier keys. */
export function releaseModifiers(release: (keysym: number, code: string) => void): void {
  for (const [keysym, code] of MODIFIERS) release(keysym, code);
}

/**
 * The key that types a character (X11 protocol, appendix A: Latin-1 as it is, other characters
 * above a million).
 */
export function keyOf(character: string): Key {
  if (character === '\n') return [0xff0d, 'Enter'];
  const point = character.codePointAt(0) ?? 0;
  return [point <= 0xff ? point : 0x0100_0000 + point, 'Unidentified'];
}

/** The keys that type a text. Control characters other than tabs and line ends are left out. */
export const typedKeys = (text: string): Key[] =>
  [...text.replace(/\r\n?/g, '\n')]
    .filter((character) => character === '\n' || character === '\t' || !/\p{Cc}/u.test(character))
    .map((character) => (character === '\t' ? TAB : keyOf(character)));

/** Returns true if a key press returns the keyboard to the page. */
export const isWayOut = ({
  ctrlKey,
  altKey,
  shiftKey,
  code,
}: Pick<KeyboardEvent, 'ctrlKey' | 'altKey' | 'shiftKey' | 'code'>): boolean =>
  ctrlKey && altKey && shiftKey && /^(?:Control|Alt|Shift)/.test(code);
