import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { PeerAddress, PeerChannel } from '../../platform/peers/channel.ts';
import type { ByteRange, ObjectFacts, OpenObject, RecordedSession, RecordingDigest, Recordings } from '../../platform/storage/recordings.ts';

/** A session whose recording may be on the disk of another server. */
export interface HeldSession extends RecordedSession {
  /** The server that recorded it. */
  readonly holder: string | null;
}

/** Recordings of all servers. */
export interface SharedRecordings {
  /** What is known of a finished recording; undefined when no server that answers has it. @throws StorageError */
  find(session: HeldSession): Promise<ObjectFacts | undefined>;
  /** Opens a finished recording, or a part of it; undefined when no server that answers has it. @throws StorageError */
  open(session: HeldSession, range?: ByteRange): Promise<OpenObject | undefined>;
  /** Reads a whole finished recording where it is, and digests it; undefined when there is none. @throws Error when its server does not answer */
  digestOf(session: HeldSession): Promise<RecordingDigest | undefined>;
}

interface Servers {
  readonly channel: PeerChannel;
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

/** Looks for recordings here first, and then at the server that made them. Answers what other servers ask for from what is here. */
export function shareRecordings(recordings: Pick<Recordings, 'find' | 'open' | 'digestOf'>, servers: Servers): SharedRecordings {
  servers.channel.answer(NAME, async (about, response) => {
    const { id, startedAt, range, onlyFacts } = about as Wanted;
    const session = { id, startedAt: new Date(startedAt) };
    const found = onlyFacts ? await recordings.find(session) : await recordings.open(session, range);
    if (!found) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'x-size': String(found.size), 'x-modified': found.modifiedAt.toISOString() });
    if ('stream' in found) await pipeline((found as OpenObject).stream, response);
    else response.end();
  });

  servers.channel.answer(DIGEST, async (about, response) => {
    const { id, startedAt } = about as Wanted;
    response.flushHeaders();
    const digest = await recordings.digestOf({ id, startedAt: new Date(startedAt) });
    response.end(JSON.stringify({ digest }));
  });

  const ask = async ({ id, startedAt, holder }: HeldSession, more: Pick<Wanted, 'range' | 'onlyFacts'>): Promise<OpenObject | undefined> => {
    const address = await servers.find(holder);
    if (!address) return undefined;
    const wanted: Wanted = { id, startedAt: startedAt.toISOString(), ...more };
    // A server that dies while it is asked is a server that has nothing.
    const answer = await servers.channel.ask(address, NAME, wanted).catch(() => undefined);
    if (answer?.statusCode !== 200) {
      answer?.destroy();
      return undefined;
    }
    return { size: Number(answer.headers['x-size']), modifiedAt: new Date(String(answer.headers['x-modified'])), stream: answer };
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
      const address = here ? undefined : await servers.find(session.holder);
      if (!address) return here;
      const { id, startedAt } = session;
      const answer = await servers.channel.ask(address, DIGEST, { id, startedAt: startedAt.toISOString() } satisfies Wanted);
      return (JSON.parse(await text(answer)) as { digest?: RecordingDigest }).digest;
    },
    open: async (session, range) => (await recordings.open(session, range)) ?? ask(session, { range }),
  };
}
