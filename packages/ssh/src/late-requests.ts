import { handlersOf, startedSession } from './channel-internals.ts';
import { protocolOf, sendMessage } from './internals.ts';
import type { Connection } from './ssh2.ts';

const SUCCESS = 99;
const FAILURE = 100;
/** Requests that a session has a use for while its program runs. */
const LATE = new Set(['signal', 'window-change']);

/**
 * Answers the requests of sessions whose program has started (RFC 4254, section 5.4). ssh2 answers
 * none of them, so PuTTY never enlarges its window (`winadj@putty.projects.tartarus.org`). After
 * the client's end of input ssh2 drops signals and sizes, too, and Go's x/crypto/ssh sends that
 * end before its first signal.
 */
export function answerLateRequests(connection: Connection): void {
  const protocol = protocolOf(connection);
  const handlers = handlersOf(protocol);
  const early = handlers.CHANNEL_REQUEST;
  handlers.CHANNEL_REQUEST = (receiver, ...request) => {
    const [recipient, type, wantsReply, data] = request;
    const started = startedSession(connection, recipient);
    if (!started) return early(receiver, ...request);
    const { session, id, isOpen } = started;
    if (!isOpen) return;
    const answer = (message: number) => () => {
      if (!wantsReply) return;
      const body = Buffer.from([message, 0, 0, 0, 0]);
      body.writeUInt32BE(id, 1);
      sendMessage(protocol, body);
    };
    const [accept, reject] = [answer(SUCCESS), answer(FAILURE)];
    const isTaken =
      LATE.has(type) &&
      session.emit(type, accept, reject, type === 'signal' ? { name: data } : data);
    if (!isTaken) reject();
  };
}
