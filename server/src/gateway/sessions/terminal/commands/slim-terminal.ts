import type xterm from '@xterm/headless';

/** A handler of an escape sequence. Returns true if it consumed the sequence. */
type Handler = (...args: never[]) => unknown;
type Handlers = Record<number, Handler[]>;

/** State that the parser keeps per terminal. */
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

/** Sequences that select a character set: designator and set name after ESC. */
const SELECTS_CHARSET = /^[()*+\-./].$/;

const PIECE = 1024;

/**
 * Decode buffer of all terminals. Each terminal parses it in the same step, so its content is never
 * needed later.
 */
let shared: Uint32Array | undefined;

/**
 * Saves two fifths of a new terminal's memory by sharing buffers and handlers. Each session has a
 * terminal, and most are idle.
 * Call it once, after registering all handlers. Parsing does not change. It replaces private fields
 * of the library; a test fails if they change.
 */
export function slimTerminal(terminal: xterm.Terminal): void {
  const core: unknown = Reflect.get(terminal, '_core');
  if (!isCore(core)) throw new Error('@xterm/headless has changed inside');
  const { _inputHandler: input, optionsService } = core;
  const { _parser: parser } = input;
  // 16 KiB each. Only larger writes need more; the library would then allocate a separate buffer.
  shared ??= input._parseBuffer;
  input._parseBuffer = shared;
  // 190 of 210 handlers select one of 27 character sets for one of seven slots. One fallback
  // handles all.
  const sequences = charsetSequences(parser);
  parser._escHandlers = compact(parser._escHandlers, (ident) => !sequences.has(ident));
  parser._csiHandlers = compact(parser._csiHandlers, () => true);
  parser.setEscHandlerFallback((ident) => {
    const sequence = sequences.get(ident);
    if (sequence !== undefined) input.selectCharset(sequence);
  });
  // The library defines two accessors per option, twice, to detect changed options. We change none.
  optionsService.options = optionsService.rawOptions;
  Reflect.set(terminal, '_publicOptions', optionsService.rawOptions);
}

/** Interprets output synchronously. The library's own function for this writes to its log. */
export function writeAtOnce(terminal: xterm.Terminal, data: Uint8Array): void {
  const core: unknown = Reflect.get(terminal, '_core');
  if (!isCore(core)) throw new Error('@xterm/headless has changed inside');
  // Use pieces that fit the decode buffer.
  for (let from = 0; from < data.length; from += PIECE)
    core._writeBuffer.writeSync(data.subarray(from, from + PIECE));
}

/** Character-set sequences by parser ident; equal for all terminals. */
let charsets: ReadonlyMap<number, string> | undefined;

function charsetSequences(parser: Parser): ReadonlyMap<number, string> {
  charsets ??= new Map(
    Object.keys(parser._escHandlers)
      .map((ident) => [Number(ident), parser.identToString(Number(ident))] as const)
      .filter(([, sequence]) => SELECTS_CHARSET.test(sequence)),
  );
  return charsets;
}

/** Copies handler lists without their 16 spare slots. */
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
