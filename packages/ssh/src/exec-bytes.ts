import { messageHandlers } from './internals.ts';

const CHANNEL_REQUEST = 98;
const EXEC = 'exec';
/**
 * Message type, channel, length and text of the request name. One byte with the want-reply flag
 * follows.
 */
const NAME_AT = 1 + 4 + 4;
const COMMAND_AT = NAME_AT + EXEC.length + 1;

let current: Buffer | undefined;

/**
 * Keeps the raw bytes of a client's command while ssh2 handles its message. ssh2 decodes them as
 * UTF-8 and replaces invalid bytes, so `rm` would delete another file.
 */
export function keepExecBytes(): void {
  const handlers = messageHandlers();
  const handle = handlers[CHANNEL_REQUEST];
  if (typeof handle !== 'function') throw new Error('ssh2 has changed inside');
  handlers[CHANNEL_REQUEST] = (protocol, payload) => {
    current = bytesOf(payload);
    try {
      return handle(protocol, payload);
    } finally {
      current = undefined;
    }
  };
}

function bytesOf(payload: Buffer): Buffer | undefined {
  if (
    payload.toString('latin1', NAME_AT, NAME_AT + EXEC.length) !== EXEC ||
    payload.length < COMMAND_AT + 4
  )
    return undefined;
  const end = COMMAND_AT + 4 + payload.readUInt32BE(COMMAND_AT);
  return payload.length < end ? undefined : Buffer.from(payload.subarray(COMMAND_AT + 4, end));
}

/** Returns the bytes of the command whose `exec` event is being handled. */
export function execBytes(): Buffer | undefined {
  return current;
}
