export { openChachaKey, readOpenSshFile, writeOpenSshFile } from './src/chacha-key.ts';
export { isClosedByServer } from './src/channel-internals.ts';
export { isSignalName, sendSignal, sendWindowSize } from './src/channel-requests.ts';
export { ChannelStream, ChannelWriter } from './src/channel-writer.ts';
export { DisconnectReason, endConnection, refusal } from './src/disconnects.ts';
export { offeredLists } from './src/first-packet.ts';
export { gatherWrites, sendNow } from './src/gather-writes.ts';
export { readWholeGreeting } from './src/greeting.ts';
export { guardWindow, limitWindow, UNREAD_OUTPUT } from './src/guard-window.ts';
export { hostCertificate } from './src/host-certificate.ts';
export { hybridExchanges } from './src/hybrid-exchange.ts';
export {
  type AcceptSsh,
  createIncoming,
  forgetExchanges,
  type OfferedAlgorithms,
  shareOffer,
} from './src/incoming.ts';
export {
  generateSshKeyPair,
  parseKey,
  readUserKey,
  type SshKeyPair,
  watchSignatures,
} from './src/keys.ts';
export { answerLateRequests } from './src/late-requests.ts';
export { withOwnMemory } from './src/own-memory.ts';
export {
  catchRequest,
  type ProgramExit,
  readExit,
  reportDisconnect,
  ServerDisconnect,
  safeText,
} from './src/program-ends.ts';
export { type RawPackets, rawPacketsOf } from './src/raw-packets.ts';
export type { UserKey } from './src/security-key.ts';
export { Frames } from './src/sftp/frames.ts';
export * from './src/sftp/packets.ts';
export { joined, lengthOf, type Pieces } from './src/sftp/packets.ts';
export { shareReads } from './src/shared-reads.ts';
export { countAnyPacket } from './src/signs-of-life.ts';
export {
  type Algorithms,
  type AuthContext,
  type AuthenticationType,
  CIPHERS,
  type Client,
  type ClientChannel,
  type ConnectConfig,
  type Connection,
  execBytes,
  type KexAlgorithm,
  type NegotiatedAlgorithms,
  type PseudoTtyInfo,
  type Server,
  type ServerChannel,
  type Session,
  type SFTPWrapper,
  ssh2,
} from './src/ssh2.ts';
export { ChannelFailure, refuseChannel, sendBanner } from './src/texts.ts';
export {
  type CertifiedKey,
  certificateSignIn,
  prepareSignIn,
  type ReadCertificate,
  readCertificate,
  type UserCertificateFacts,
  userCertificate,
} from './src/user-certificate.ts';
export { WireReader } from './src/wire-reader.ts';
