import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Ber, BerReader, BerWriter } from 'ldapts';

/** Answer to the bind of a user: result code, text, and controls. */
export interface BindAnswer {
  readonly code: number;
  readonly text?: string;
  readonly controls?: Readonly<Record<string, Buffer>>;
}

/** The entry that every search finds. */
type Attributes = Readonly<Record<string, string | readonly string[]>>;

export interface ScriptedDirectory {
  readonly url: string;
  /** Entries of the next searches; their DN is `uid=…` below dc=example,dc=com. */
  entries: readonly Attributes[];
  /** Called before each search. */
  onSearch: () => Promise<void> | void;
  /** Result code of the next searches, after their entries. */
  searchCode: number;
  /** Answer to the next binds of users, and their expected password. */
  answer: BindAnswer;
  /** OIDs of the controls of the last bind of a user. */
  asked: string[];
  stop(): Promise<void>;
}

const TAG = {
  bind: 0x60,
  bindAnswer: 0x61,
  unbind: 0x42,
  search: 0x63,
  entry: 0x64,
  done: 0x65,
  controls: 0xa0,
} as const;
const READER = 'cn=reader';

/** Encodes a message of the server. */
function message(id: number, tag: number, write: (writer: BerWriter) => void, more?: BindAnswer) {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(tag);
  write(writer);
  writer.endSequence();
  const controls = Object.entries(more?.controls ?? {});
  if (controls.length > 0) {
    writer.startSequence(TAG.controls);
    for (const [type, value] of controls) {
      writer.startSequence();
      writer.writeString(type);
      writer.writeBuffer(value, Ber.OctetString);
      writer.endSequence();
    }
    writer.endSequence();
  }
  writer.endSequence();
  return writer.buffer;
}

const result =
  ({ code, text = '' }: BindAnswer) =>
  (writer: BerWriter) => {
    writer.writeEnumeration(code);
    writer.writeString('');
    writer.writeString(text);
  };

const entry = (attributes: Attributes) => (writer: BerWriter) => {
  writer.writeString(`uid=${attributes.uid},dc=example,dc=com`);
  writer.startSequence();
  for (const [type, value] of Object.entries(attributes)) {
    writer.startSequence();
    writer.writeString(type);
    writer.startSequence(0x31);
    for (const one of [value].flat()) writer.writeString(one);
    writer.endSequence();
    writer.endSequence();
  }
  writer.endSequence();
};

/** Returns the OIDs of the controls after the operation of a message. */
function controlsIn(reader: BerReader): string[] {
  if (reader.peek() !== TAG.controls) return [];
  reader.readSequence();
  const end = reader.offset + reader.length;
  const types: string[] = [];
  while (reader.offset < end) {
    reader.readSequence();
    const next = reader.offset + reader.length;
    types.push(reader.readString() ?? '');
    reader.offset = next;
  }
  return types;
}

/**
 * Starts a directory that answers binds as told: with results, texts and controls as real servers
 * were measured to send them.
 */
export async function startScriptedDirectory(): Promise<ScriptedDirectory> {
  const answerTo = async (request: Buffer, socket: Socket) => {
    const reader = new BerReader(request);
    reader.readSequence();
    const id = reader.readInt() ?? 0;
    const tag = reader.readSequence();
    const end = reader.offset + reader.length;
    if (tag === TAG.unbind) return socket.end();
    if (tag === TAG.search) {
      await directory.onSearch();
      for (const one of directory.entries) socket.write(message(id, TAG.entry, entry(one)));
      return socket.write(message(id, TAG.done, result({ code: directory.searchCode })));
    }
    reader.readInt();
    const isReader = reader.readString() === READER;
    reader.offset = end;
    if (!isReader) directory.asked = controlsIn(reader);
    const answer = isReader ? { code: 0 } : directory.answer;
    return socket.write(message(id, TAG.bindAnswer, result(answer), answer));
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const reader = new BerReader(received);
        if (reader.readSequence() === null || reader.remain < reader.length) return;
        const size = reader.offset + reader.length;
        void answerTo(received.subarray(0, size), socket);
        received = received.subarray(size);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const directory: ScriptedDirectory = {
    url: `ldap://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    entries: [],
    answer: { code: 0 },
    asked: [],
    searchCode: 0,
    onSearch: () => undefined,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return directory;
}
