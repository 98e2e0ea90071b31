import type { ClientMessage, DesktopClientMessage, ServerMessage } from '@sallyport/contract';

/** One frame of the socket, read. */
export type Frame =
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'message'; readonly message: ServerMessage }
  | { readonly kind: 'unreadable' };

type Shape = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'object'>>;

const SHAPES: Readonly<Record<ServerMessage['type'], Shape>> = {
  stage: { stage: 'string' },
  need_credentials: { username: 'string', reason: 'string' },
  need_factor: { again: 'boolean' },
  need_reason: {},
  open: { session: 'string', asset: 'string', account: 'string', keeps: 'number', old: 'string' },
  resumed: {
    session: 'string',
    asset: 'string',
    account: 'string',
    keeps: 'number',
    old: 'string',
    typed: 'number',
    screen: 'boolean',
    position: 'number',
    age: 'number',
  },
  taken: { bytes: 'number' },
  pong: {},
  guests: { guests: 'object' },
  invited: { types: 'boolean' },
  // Text or null.
  locked: {},
  resize: { cols: 'number', rows: 'number' },
  desktop: { protocol: 'string', width: 'number', height: 'number', name: 'string' },
  clipboard: { copy: 'boolean', paste: 'boolean' },
  files: { upload: 'boolean', download: 'boolean' },
  resizable: {},
  drive: { id: 'number' },
  drive_state: { used: 'number', max: 'number', upload: 'boolean', download: 'boolean' },
  transfer: { on: 'boolean' },
  pointer: { x: 'number', y: 'number' },
  notice: { message: 'string', over: 'boolean' },
  closed: { code: 'string', message: 'string', retry: 'boolean' },
};

const UNREADABLE: Frame = { kind: 'unreadable' };
const encoder = new TextEncoder();

function isServerMessage(value: unknown): value is ServerMessage {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(SHAPES, type)) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return Object.entries(SHAPES[type as ServerMessage['type']]).every(
    ([name, kind]) => typeof fields.get(name) === kind,
  );
}

/**
 * Reads one frame: binary is terminal output, text is a message. Returns `unreadable` for anything
 * else instead of throwing.
 */
export function decodeFrame(data: unknown): Frame {
  if (data instanceof ArrayBuffer) return { kind: 'output', bytes: new Uint8Array(data) };
  if (typeof data !== 'string') return UNREADABLE;
  try {
    const value: unknown = JSON.parse(data);
    return isServerMessage(value) ? { kind: 'message', message: value } : UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}

/** Writes one message for a text frame. */
export function encodeMessage(message: ClientMessage | DesktopClientMessage): string {
  return JSON.stringify(message);
}

/** Writes typed text for a binary frame. */
export function encodeInput(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * Writes input that is bytes already, one per character (old mouse reports), for a binary frame.
 */
export function encodeBinaryInput(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
}
