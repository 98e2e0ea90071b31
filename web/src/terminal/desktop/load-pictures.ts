import type { ProtocolName } from '@sallyport/contract';
import type { PictureMaker } from './picture.ts';

/** Loads the code that shows desktops of a protocol. */
export async function loadPictures(protocol: ProtocolName): Promise<PictureMaker> {
  if (protocol === 'rdp') {
    const { RdpPicture } = await import('./rdp-picture.ts');
    return (target, facts, events) => new RdpPicture(target, facts, events);
  }
  const { VncPicture } = await import('./vnc-picture.ts');
  return (target, facts, events) => new VncPicture(target, facts, events);
}
