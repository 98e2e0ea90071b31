import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** Bytes that a server may send before the handshake. */
const MAX_BYTES = 65_536;

/** Resolves when the server has answered a command with this code. */
function answered(socket: Socket, code: string): Promise<void> {
  let text = '';
  return new Promise((settle, fail) => {
    const read = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const last = /^(\d{3})(?: .*)?\r?\n$/m.exec(text);
      if (!last && text.length < MAX_BYTES) return;
      socket.off('data', read);
      if (last?.[1] === code) settle();
      else fail(new Error('the mail server refuses TLS'));
    };
    socket.on('data', read);
    socket.once('error', fail);
    socket.once('close', () => fail(new Error('the mail server closed the connection')));
  });
}

/** Asks a mail server for TLS (RFC 3207) and begins the handshake. */
export async function beginStartTls(
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connect({ host, port, signal });
  await answered(socket, '220');
  for (const [command, code] of [
    ['EHLO localhost', '250'],
    ['STARTTLS', '220'],
  ] as const) {
    const answer = answered(socket, code);
    socket.write(`${command}\r\n`);
    await answer;
  }
  return connectTls({ socket, host });
}
