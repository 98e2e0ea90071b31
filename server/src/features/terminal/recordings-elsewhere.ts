import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { PeerAddress, PeerChannel } from '../../platform/peers/channel.ts';
import type {
  ByteRange,
  ObjectFacts,
  OpenObject,
  RecordedSession,
  RecordingDigest,
  Recordings,
} from '../../platform/storage/recordings.ts';

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
   * What is known of a finished recording; undefined if there is none. @throws StorageError,
   * RecordingAway
   */
  find(session: HeldSession): Promise<ObjectFacts | undefined>;
  /**
   * Opens a finished recording, or a part of it; undefined if there is none. @throws StorageError,
   * RecordingAway
   */
  open(session: HeldSession, range?: ByteRange): Promise<OpenObject | undefined>;
  /**
   * Reads a whole finished recording where it is, and digests it; undefined when there is none.
   * @throws RecordingAway
   */
  digestOf(session: HeldSession): Promise<RecordingDigest | undefined>;
}

interface Servers {
  readonly channel: PeerChannel;
  /** Returns true for another server than this one. */
  isElsewhere(server: string | null): boolean;
  find(server: string | null): Promise<PeerAddress | undefined>;
}

/** What one server asks another for. */
interface Wanted {
  readonly id: string;
  readonly startedAt: string;
  readonly range?: ByteRange | undefined;
  readonly onlyFacts?: boolean;
}

const NAME = 'recording';
const DIGEST = 'recording-digest';

/**
 * Looks for recordings here first, and then at the server that made them. Answers what other
 * servers ask for from what is here.
 */
export function shareRecordings(
  recordings: Pick<Recordings, 'find' | 'open' | 'digestOf'>,
  servers: Servers,
): SharedRecordings {
  servers.channel.answer(NAME, async (about, response) => {
    const { id, startedAt, range, onlyFacts } = about as Wanted;
    const session = { id, startedAt: new Date(startedAt) };
    const found = onlyFacts
      ? await recordings.find(session)
      : await recordings.open(session, range);
    if (!found) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'x-size': String(found.size),
      'x-modified': found.modifiedAt.toISOString(),
    });
    if ('stream' in found) await pipeline((found as OpenObject).stream, response);
    else response.end();
  });

  servers.channel.answer(DIGEST, async (about, response) => {
    const { id, startedAt } = about as Wanted;
    response.flushHeaders();
    const digest = await recordings.digestOf({ id, startedAt: new Date(startedAt) });
    response.end(JSON.stringify({ digest }));
  });

  /** Asks the server that holds a session; undefined if that is this one. @throws RecordingAway */
  const askHolder = async (
    name: string,
    { id, startedAt, holder }: HeldSession,
    more: Pick<Wanted, 'range' | 'onlyFacts'> = {},
  ) => {
    if (!servers.isElsewhere(holder)) return undefined;
    const address = await servers.find(holder);
    if (!address) throw new RecordingAway('its server gave no sign lately');
    const wanted: Wanted = { id, startedAt: startedAt.toISOString(), ...more };
    return servers.channel.ask(address, name, wanted).catch((cause: unknown) => {
      throw new RecordingAway(`the server at ${address.host}:${address.port} does not answer`, {
        cause,
      });
    });
  };
  const ask = async (
    session: HeldSession,
    more: Pick<Wanted, 'range' | 'onlyFacts'>,
  ): Promise<OpenObject | undefined> => {
    const answer = await askHolder(NAME, session, more);
    if (answer?.statusCode !== 200) {
      answer?.destroy();
      return undefined;
    }
    return {
      size: Number(answer.headers['x-size']),
      modifiedAt: new Date(String(answer.headers['x-modified'])),
      stream: answer,
    };
  };

  return {
    async find(session) {
      const here = await recordings.find(session);
      if (here) return here;
      const there = await ask(session, { onlyFacts: true });
      there?.stream.resume();
      return there && { size: there.size, modifiedAt: there.modifiedAt };
    },
    async digestOf(session) {
      const here = await recordings.digestOf(session);
      if (here) return here;
      const answer = await askHolder(DIGEST, session);
      return answer && (JSON.parse(await text(answer)) as { digest?: RecordingDigest }).digest;
    },
    open: async (session, range) =>
      (await recordings.open(session, range)) ?? ask(session, { range }),
  };
}
