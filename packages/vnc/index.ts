export { clientMessages, mayPass } from './src/client-messages.ts';
export { Output } from './src/output.ts';
export { offeredEncodings, setEncodings } from './src/rectangles.ts';
export {
  answerChallenge,
  chooseCertified,
  NotCertified,
  plainAnswer,
  readCertified,
  type SignInKind,
  type VncStream,
} from './src/security.ts';
export { serverMessages, TO } from './src/server-messages.ts';
export { Incoming, StreamParser, UnknownData } from './src/stream-parser.ts';
