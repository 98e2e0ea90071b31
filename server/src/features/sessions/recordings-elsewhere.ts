import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { PeerAddress, PeerChannel } from '../../platform/peers/channel.ts';
import {
  type ByteRange,
  type OpenObject,
  type RecordedSession,
  type RecordingDigest,
  type Recordings,
  StorageError,
  type StorageProblem,
} from '../../platform/storage/recordings.ts';
import { processOf } from '../servers/index.ts';

/** A session whose recording may be on the disk of another server. */
export interface HeldSession extends RecordedSession {
  /** The server that recorded it. */
  readonly holder: string | null;
}

/** The server that has the recording does not answer. The recording may still exist. */
export class RecordingAway extends Error {
  override readonly name = 'RecordingAway';
}

/** Recordings of all servers. */
export interface SharedRecordings {
  /**
   * Opens a finished recording or a byte range of it. Returns undefined if it does not exist.
   * @throws StorageError, RecordingAway
   */
  open(session: HeldSession, range?: ByteRange): Promise<OpenObject | undefined>;
  /**
   * Digests a whole finished recording on the server that has it. Returns undefined if it does not
   * exist.
   * @throws StorageError, RecordingAway
   */
  digestOf(session: HeldSession): Promise<RecordingDigest | undefined>;
}

interface Servers {
  readonly channel: PeerChannel;
  /** Returns true for a server other than this one. */
  isElsewhere(server: string | null): boolean;
  find(server: string | null): Promise<PeerAddress | undefined>;
}

/** The request of one server to another. */
interface RecordingRequest {
  readonly id: string;
  readonly startedAt: string;
  readonly range?: ByteRange | undefined;
}

const NAME = 'recording';
const DIGEST = 'recording-digest';

/** The answer about a recording that exists and does not open. */
interface Unopened {
  readonly problem?: StorageProblem | undefined;
}

/** Runs work on a recording. @returns the reason if it does not open */
async function orProblem<Result>(work: Promise<Result>): Promise<Result | Required<Unopened>> {
  return work.catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error;
    return { problem: error.code };
  });
}

/** Throws the error of another server. @throws StorageError */
function assertOpened({ problem }: Unopened): void {
  if (problem) throw new StorageError(problem, 'the recording on another server');
}

/**
 * Finds recordings on this server first, then on the server that made them. Answers the requests of
 * other servers with the recordings of this one.
 */
export function shareRecordings(
  recordings: Pick<Recordings, 'open' | 'digestOf'>,
  servers: Servers,
): SharedRecordings {
  servers.channel.answer(NAME, async (about, response) => {
    const { id, startedAt, range } = about as RecordingRequest;
    const session = { id, startedAt: new Date(startedAt) };
    const recording = await orProblem(recordings.open(session, range));
    if (!recording || 'problem' in recording) {
      response.writeHead(recording ? 409 : 404).end(JSON.stringify(recording ?? {}));
      return;
    }
    response.writeHead(200, {
      'x-size': String(recording.size),
      'x-modified': recording.modifiedAt.toISOString(),
      'x-sealed': recording.isSealed ? 'yes' : 'no',
    });
    await pipeline(recording.stream, response);
  });

  servers.channel.answer(DIGEST, async (about, response) => {
    const { id, startedAt } = about as RecordingRequest;
    response.flushHeaders();
    const digest = await orProblem(recordings.digestOf({ id, startedAt: new Date(startedAt) }));
    response.end(JSON.stringify(digest && 'problem' in digest ? digest : { digest }));
  });

  /**
   * Asks the server that holds a session. Returns undefined if this server holds it. @throws
   * RecordingAway
   */
  const askHolder = async (
    name: string,
    { id, startedAt, holder }: HeldSession,
    more: Pick<RecordingRequest, 'range'> = {},
  ) => {
    if (!servers.isElsewhere(holder)) return undefined;
    const body: RecordingRequest = { id, startedAt: startedAt.toISOString(), ...more };
    let away = new RecordingAway('its server gave no sign lately');
    // The process may have died, or its server runs fewer now. All of them have the folder.
    for (const one of new Set([holder, holder && processOf(holder).server])) {
      const address = await servers.find(one);
      if (!address) continue;
      try {
        return await servers.channel.ask(address, name, body);
      } catch (cause) {
        const text = `the server at ${address.host}:${address.port} does not answer`;
        away = new RecordingAway(text, { cause });
      }
    }
    throw away;
  };
  const ask = async (
    session: HeldSession,
    more: Pick<RecordingRequest, 'range'>,
  ): Promise<OpenObject | undefined> => {
    const answer = await askHolder(NAME, session, more);
    if (answer?.statusCode === 409) assertOpened(JSON.parse(await text(answer)) as Unopened);
    if (answer?.statusCode !== 200) {
      answer?.destroy();
      return undefined;
    }
    return {
      size: Number(answer.headers['x-size']),
      modifiedAt: new Date(String(answer.headers['x-modified'])),
      // A server of an earlier version does not say it.
      isSealed: answer.headers['x-sealed'] !== 'no',
      stream: answer,
    };
  };

  return {
    async digestOf(session) {
      const here = await recordings.digestOf(session);
      if (here) return here;
      const answer = await askHolder(DIGEST, session);
      if (!answer) return undefined;
      const body = JSON.parse(await text(answer)) as Unopened & { digest?: RecordingDigest };
      assertOpened(body);
      return body.digest;
    },
    open: async (session, range) =>
      (await recordings.open(session, range)) ?? ask(session, { range }),
  };
}
