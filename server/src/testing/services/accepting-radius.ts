import { createHash, createHmac } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface AcceptingRadius {
  readonly address: string;
  readonly secret: string;
  /** Number of accepted requests. */
  accepted(): number;
  stop(): Promise<void>;
}

const ACCEPT = 2;
const MESSAGE_AUTHENTICATOR = 80;

/** Signs an Access-Accept without other attributes (RFC 2865 §3, RFC 3579 §3.2). */
function acceptFor(request: Buffer, secret: string): Buffer {
  const answer = Buffer.alloc(38);
  answer.set([ACCEPT, request[1] ?? 0, 0, answer.length]);
  request.copy(answer, 4, 4, 20);
  answer.set([MESSAGE_AUTHENTICATOR, 18], 20);
  createHmac('md5', secret).update(answer).digest().copy(answer, 22);
  createHash('md5').update(answer).update(secret).digest().copy(answer, 4);
  return answer;
}

/** Starts a RADIUS server that accepts every name with every password. */
export async function startAcceptingRadius(): Promise<AcceptingRadius> {
  const secret = 'shared secret of the test';
  const socket = createSocket('udp4');
  let accepted = 0;
  socket.on('message', (request, { port, address }) => {
    accepted += 1;
    socket.send(acceptFor(request, secret), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    secret,
    accepted: () => accepted,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}
