import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  fatal,
  int32,
  isPooled,
  message,
  notice,
  POSTGRES_MODE,
  PostgresRelay,
} from '@sallyport/sql-relays';
import { hasRefusedParameter } from '../../../protocols/sql/session-settings.ts';
import { Refusal, wordProblem } from '../../../refusal.ts';
import type { Arrival, Speak } from '../listener.ts';
import { serveClient } from '../listener-client.ts';
import { idInProcess, type LivePassword, processOfId, type SharedListener } from '../ports.ts';
import { journalOf } from '../session-journal.ts';
import { type PostgresConnection, parametersFor, postgresConnector } from './connector.ts';
import { CODE, type Greeted, greet, refuse, signIn } from './greet.ts';

/** Name of the question among the processes of this server. */
const CANCEL = 'postgresql-cancel';
/** SQLSTATE: admin_shutdown. */
const ENDED = '57P01';
const REFUSED = '08004';

/** Minor version with longer secrets of cancel requests, and their bytes, as in PostgreSQL 18. */
const LONG_KEYS = 2;
const LONG_SECRET = 32;

interface Cancelable {
  readonly secret: Buffer;
  /** Resolves when the database has handled the request, or failed to. */
  readonly cancel: () => Promise<void>;
}

/**
 * Serves clients of PostgreSQL. Cancel requests arrive on separate connections with the key that we
 * gave the client.
 */
export function postgresSpeaker(processes: SharedListener): Speak {
  const cancelable = new Map<number, Cancelable>();
  const cancel = async (processId: number, secret: Buffer) => {
    const session = cancelable.get(processId);
    if (
      session &&
      session.secret.length === secret.length &&
      timingSafeEqual(session.secret, secret)
    )
      await session.cancel();
  };
  processes.answer(CANCEL, async (about) => {
    const { processId, secret } = about as { processId: number; secret: string };
    await cancel(processId, Buffer.from(secret, 'base64'));
  });
  return async (arrival) => {
    const greeted = await greet(arrival);
    if (!greeted) return;
    if ('processId' in greeted) {
      const { processId, secret, stream } = greeted;
      const owner = processOfId(processId);
      if (owner === processes.number) await cancel(processId, secret);
      else await processes.ask(owner, CANCEL, { processId, secret: secret.toString('base64') });
      // Clients take the end of this connection for the end of the request. An earlier end lets
      // the request reach the next statement.
      stream.end();
      return;
    }
    const password = await signIn(arrival, greeted);
    if (!password) return;
    if (!arrival.signedIn(password.person.userId)) {
      refuse(
        greeted.stream,
        CODE.limit,
        wordProblem({ code: 'socket_limit' }, password.person.language),
      );
      return;
    }
    await serve(arrival, greeted, password, {
      cancelable,
      newId: () => freeId(cancelable, processes),
    });
  };
}

/** Opens the session of a signed-in client and starts the relay. */
async function serve(
  arrival: Arrival,
  { stream, parameters, minor }: Greeted,
  password: LivePassword,
  { cancelable, newId }: { cancelable: Map<number, Cancelable>; newId: () => number },
): Promise<void> {
  const { signal } = arrival;
  const { log } = arrival.context.ports;
  let relay: PostgresRelay | undefined;
  let processId = 0;
  let hasEnded = false;
  await serveClient(arrival, {
    password,
    protocol: 'postgresql',
    connector: postgresConnector(({ database }) =>
      parametersFor(parameters, database?.name ?? null),
    ),
    async open(opened, connection) {
      const { target, cancel, close, run, ...own } = connection as PostgresConnection;
      const { isReadOnly } = opened;
      if (isReadOnly && hasRefusedParameter(parameters)) throw new Refusal('statement_read_only');
      // The mode would stay on a session that a pooler gives to other clients.
      if (isReadOnly && (await own.isPooled(signal))) throw new Refusal('database_pooled');
      // The server itself then rejects writes by functions.
      const rest = isReadOnly ? await run(POSTGRES_MODE.readOnly, signal) : target.rest;
      const secret = randomBytes(minor >= LONG_KEYS ? LONG_SECRET : 4);
      processId = newId();
      const cancelRunning = () =>
        cancel().catch((error: unknown) => {
          log.warn(
            { session: opened.row.id, error: String(error) },
            'a statement could not be canceled',
          );
        });
      cancelable.set(processId, { secret, cancel: cancelRunning });
      stream.write(message('R', int32(0)));
      for (const greeting of target.greeting) stream.write(greeting);
      stream.write(message('K', int32(processId), secret));
      stream.write(message('Z', Buffer.from('I')));
      relay = new PostgresRelay({
        client: stream,
        target: target.stream,
        fromTarget: rest,
        journal: journalOf(opened),
        isReadOnly,
        isPooled: (process) => isPooled(target.cancelKey, process),
        onEnd: (how) => {
          hasEnded = true;
          if (how === 'client') opened.end('session_finished');
          else if (how === 'client-broke') opened.end('database_client');
          else if (how === 'character-set') opened.end('database_character_set');
          else opened.targetEnded(how === 'target-broke' ? 'broke' : 'closed');
        },
      });
      relay.start();
      return {
        close() {
          // We end the session, so the server would finish the statement.
          if (!hasEnded && relay?.isRunning) void cancelRunning();
          close();
        },
      };
    },
    // Clients accept a notice before the session is open, too.
    notice: (text) => (relay ? relay.tell(notice(text)) : stream.write(notice(text))),
    closed(text, isLogFailed) {
      cancelable.delete(processId);
      relay?.stop(text === undefined ? undefined : fatal(ENDED, text), isLogFailed);
    },
    refuse: (text) => refuse(stream, REFUSED, text),
  });
}

/** Returns an unused id of 31 bits, because clients show it as a positive number. */
function freeId(taken: ReadonlyMap<number, unknown>, processes: SharedListener): number {
  for (;;) {
    const id = idInProcess(randomBytes(4).readUInt32BE() >>> 1, processes);
    if (id !== 0 && !taken.has(id)) return id;
  }
}
