import type { ProtocolName } from '@sallyport/contract';
import type { RecordedPictureMaker } from './recorded-picture.ts';

/** Loads the renderer for desktop recordings of a protocol. */
export async function loadRecordedPictures(protocol: ProtocolName): Promise<RecordedPictureMaker> {
  if (protocol === 'rdp') {
    const { RecordedRdp } = await import('./recorded-rdp.ts');
    return (target, facts) => new RecordedRdp(target, facts);
  }
  const { RecordedVnc } = await import('./recorded-vnc.ts');
  return (target, facts) => new RecordedVnc(target, facts);
}
