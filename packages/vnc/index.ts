export { answerChallenge } from './src/challenge.ts';
export { clientMessages } from './src/client-messages.ts';
export { mayPass } from './src/clipboard.ts';
export { offeredEncodings, setEncodings } from './src/encodings.ts';
export { Incoming } from './src/incoming.ts';
export { Output } from './src/output.ts';
export { serverMessages, TO } from './src/server-messages.ts';
export { StreamParser, UnknownData } from './src/stream-parser.ts';
export {
  chooseCertified,
  NotCertified,
  plainAnswer,
  readCertified,
  type SignInKind,
  type VncStream,
} from './src/vencrypt.ts';
