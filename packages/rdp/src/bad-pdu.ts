/**
 * A server or browser sent a PDU that RDP or our settings do not allow here. Ends the session. The
 * message is for the log and never contains received data.
 */
export class BadPdu extends Error {
  override readonly name = 'BadPdu';
}
