import type xterm from '@xterm/headless';

/** What a handler of an escape sequence is: it says whether it has dealt with it. */
type Handler = (...args: never[]) => unknown;
type Handlers = Record<number, Handler[]>;

/** What the emulator's parser keeps for each terminal. */
interface Parser {
  _escHandlers: Handlers;
  _csiHandlers: Handlers;
  identToString(ident: number): string;
  setEscHandlerFallback(handler: (ident: number) => void): void;
}

interface InputHandler {
  readonly _parser: Parser;
  _parseBuffer: Uint32Array;
  selectCharset(collectAndFlag: string): boolean;
}

interface WriteBuffer {
  writeSync(data: Uint8Array): void;
}

interface Core {
  readonly _writeBuffer: WriteBuffer;
  readonly _inputHandler: InputHandler;
  readonly optionsService: { readonly rawOptions: object; options: object };
}

/** The characters between ESC and the name of a character set; each of them with each set has a handler of its own. */
const SELECTS_CHARSET = /^[()*+\-./].$/;

const PIECE = 1024;

/** Where the next piece of output of any terminal is decoded to: it is parsed in the same step, so that nothing of it is needed afterwards. */
let shared: Uint32Array | undefined;

/**
 * Takes away from a new emulator what it keeps for itself and could share, two fifths of its memory: a bastion has one for each session, most of which are idle.
 * To be called once, behind the last handler that is registered. What it interprets does not change. It replaces fields of the library that are not its interface; a test fails if they move.
 */
export function slimTerminal(terminal: xterm.Terminal): void {
  const core: unknown = Reflect.get(terminal, '_core');
  if (!isCore(core)) throw new Error('@xterm/headless has changed inside');
  const { _inputHandler: input, optionsService } = core;
  const { _parser: parser } = input;
  // 16 KiB each. A piece is larger than that only for those who write larger ones, which the library would give a buffer of its own.
  shared ??= input._parseBuffer;
  input._parseBuffer = shared;
  // 190 of 210 handlers choose one of 27 character sets for one of seven places; the text of the sequence says which.
  const sequences = charsetSequences(parser);
  parser._escHandlers = compact(parser._escHandlers, (ident) => !sequences.has(ident));
  parser._csiHandlers = compact(parser._csiHandlers, () => true);
  parser.setEscHandlerFallback((ident) => {
    const sequence = sequences.get(ident);
    if (sequence !== undefined) input.selectCharset(sequence);
  });
  // Two accessors for each option, at two places, tell when an option is changed, which nobody does.
  optionsService.options = optionsService.rawOptions;
  Reflect.set(terminal, '_publicOptions', optionsService.rawOptions);
}

/** Has a new emulator interpret some output before this returns; the library's own function for it writes to its log. */
export function writeAtOnce(terminal: xterm.Terminal, data: Uint8Array): void {
  const core: unknown = Reflect.get(terminal, '_core');
  if (!isCore(core)) throw new Error('@xterm/headless has changed inside');
  // In pieces that fit where output is decoded to.
  for (let from = 0; from < data.length; from += PIECE)
    core._writeBuffer.writeSync(data.subarray(from, from + PIECE));
}

/** The sequences that choose a character set, by the number that the parser knows them by: the same for every terminal. */
let charsets: ReadonlyMap<number, string> | undefined;

function charsetSequences(parser: Parser): ReadonlyMap<number, string> {
  charsets ??= new Map(
    Object.keys(parser._escHandlers)
      .map((ident) => [Number(ident), parser.identToString(Number(ident))] as const)
      .filter(([, sequence]) => SELECTS_CHARSET.test(sequence)),
  );
  return charsets;
}

/** The same lists of handlers without the room for sixteen more that each list has. */
function compact(handlers: Handlers, isKept: (ident: number) => boolean): Handlers {
  const kept = Object.create(null) as Handlers;
  for (const [ident, list] of Object.entries(handlers))
    if (isKept(Number(ident))) kept[Number(ident)] = list.slice();
  return kept;
}

function isCore(value: unknown): value is Core {
  if (
    !has(value, '_inputHandler') ||
    !has(value, 'optionsService') ||
    !has(value, '_writeBuffer') ||
    !has(value._writeBuffer, 'writeSync')
  )
    return false;
  const { _inputHandler: input, optionsService } = value;
  if (
    !has(input, '_parser') ||
    !has(input, '_parseBuffer') ||
    !has(input, 'selectCharset') ||
    !has(optionsService, 'rawOptions')
  )
    return false;
  return (
    has(input._parser, '_escHandlers') &&
    has(input._parser, '_csiHandlers') &&
    input._parseBuffer instanceof Uint32Array
  );
}

function has<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}
