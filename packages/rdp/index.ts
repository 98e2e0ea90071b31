export { BadPdu } from './src/byte-reader.ts';
export { clientInfo, windowsAccount } from './src/client-info.ts';
export type { FileReport } from './src/clipboard/file-flow.ts';
export { SignInRefused, signInByCredssp } from './src/credssp.ts';
export { DriveError, DriveFolder, type DriveNode, isDriveName } from './src/drive/drive-folder.ts';
export { DRIVE_NAME } from './src/drive/drive-messages.ts';
export { PduReader } from './src/framing.ts';
export { md4 } from './src/legacy-crypto.ts';
export {
  connectionRequest,
  NegotiationRefused,
  offerOf,
  readConfirm,
  SECURITY,
} from './src/negotiation.ts';
export { readPlanar } from './src/picture/planar.ts';
export { RdpRelay } from './src/relay.ts';
export type { RelayDrive } from './src/relay-options.ts';
export { type ScreenSize, screenFor } from './src/settings.ts';
export { joinPdus, Slab } from './src/slab.ts';
// A page without a browser, for tests and measurements.
export { RdpClipboard } from './src/testing/rdp-clipboard.ts';
export { click, pressKey, RdpPage } from './src/testing/rdp-page.ts';
