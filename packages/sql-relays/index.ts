export {
  BodyReader,
  ByteReader,
  PlainPassword,
  ProtocolViolation,
  StreamEnded,
  UnknownSignIn,
} from './src/byte-reader.ts';
export { GrowingBuffer } from './src/growing-buffer.ts';
export { MAX_SENT_STATEMENT, type StatementJournal, whenKnown } from './src/journal.ts';
export { Answers as MysqlAnswers } from './src/mysql/answers.ts';
export { MODE as MYSQL_MODE } from './src/mysql/client-commands.ts';
export { ED25519, signEd25519 } from './src/mysql/ed25519.ts';
export { greeting, readResponse } from './src/mysql/greeting.ts';
export { PacketFrames, type PacketHead as MysqlPacketHead } from './src/mysql/packet-frames.ts';
export {
  CAPABILITY,
  COMMAND,
  COMPRESSED,
  errorPacket,
  FULL_PACKET,
  okPacket,
  packet,
  RELAYED,
  readCounted,
  readErrorPacket,
  readLength,
  readOkPacket,
} from './src/mysql/packets.ts';
export { MysqlRelay } from './src/mysql/relay.ts';
export {
  CACHING_SHA2,
  isProved,
  MysqlRefused,
  type MysqlTarget,
  makeNonce,
  NATIVE,
  readPacket,
  runAtMysql,
  signInAtMysql,
} from './src/mysql/target.ts';

export { Frames, type Handling } from './src/postgresql/frames.ts';
export {
  int32,
  isOtherCharacterSet,
  MAX_STARTUP,
  message,
  query,
  readStartup,
  startup,
  VERSION_3,
  zeroEnded,
} from './src/postgresql/messages.ts';
export { PostgresRelay } from './src/postgresql/relay.ts';
export {
  BOUND_MECHANISM,
  MECHANISM,
  ScramServer,
  type ScramVerifier,
  verifierOf,
} from './src/postgresql/scram.ts';
export { MODE as POSTGRES_MODE } from './src/postgresql/session-mode.ts';
export {
  cancelAtPostgres,
  fatal,
  isPooled,
  notice,
  POSTGRES_PROCESS,
  type PostgresReply,
  type PostgresTarget,
  runAtPostgres,
  SignInRefused,
  signInAtPostgres,
} from './src/postgresql/target.ts';
export { beginTls, checkIdentity } from './src/target-tls.ts';
