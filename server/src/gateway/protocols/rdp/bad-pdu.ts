/** Something that a server or a browser sent is not what RDP allows at this point, or not what we take. It ends the session; the message is for our log and quotes nothing that was sent. */
export class BadPdu extends Error {
  override readonly name = 'BadPdu';
}
