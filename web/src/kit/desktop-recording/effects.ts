import type { ProtocolName } from '@sallyport/contract';
import { sizeOfShare } from '../rdp-frame/share-size.ts';

/**
 * Effect of a recorded desktop message on the picture: paints an area, copies one, changes the size
 * or settings, must be read because later messages depend on it, or changes no pixels.
 */
export type Effect =
  | { readonly kind: 'paint'; readonly place: Place; readonly isChained?: boolean }
  | { readonly kind: 'copy'; readonly place: Place; readonly fromX: number; readonly fromY: number }
  | { readonly kind: 'setting'; readonly width?: number; readonly height?: number }
  | { readonly kind: 'none' };

/** A rectangle of the desktop, in pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Relevant VNC encodings; each recorded message has one rectangle. */
const VNC = {
  copyRect: 1,
  zrle: 16,
  desktopSize: -223,
  extendedDesktopSize: -308,
  vmwareCursor: 0x574d5664,
} as const;
const RECTANGLE_AT = 4;
const CONTENT_AT = 16;
/** The RDP fast-path update type of bitmaps. */
const BITMAP = 1;

/** Determines the effect of a message from its first bytes. */
export function effectOf(protocol: ProtocolName, bytes: Uint8Array): Effect {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return protocol === 'rdp' ? ofRdp(view, bytes) : ofVnc(view);
}

function ofVnc(view: DataView): Effect {
  if (view.byteLength < CONTENT_AT || view.getUint8(0) !== 0 || view.getUint16(2) !== 1)
    return { kind: 'setting' };
  const field = (index: number) => view.getUint16(RECTANGLE_AT + index * 2);
  const [x, y, width, height] = [field(0), field(1), field(2), field(3)];
  const encoding = view.getInt32(12);
  const place = { x, y, width, height };
  // A rejected request for another size.
  if (encoding === VNC.extendedDesktopSize && x === 1 && y !== 0) return { kind: 'none' };
  if (encoding === VNC.desktopSize || encoding === VNC.extendedDesktopSize)
    return { kind: 'setting', width, height };
  if (encoding < 0 || encoding === VNC.vmwareCursor) return { kind: 'none' };
  if (encoding === VNC.copyRect) {
    // A message cut in the middle lacks the source of its copy.
    if (view.byteLength < CONTENT_AT + 4) return { kind: 'setting' };
    return {
      kind: 'copy',
      place,
      fromX: view.getUint16(CONTENT_AT),
      fromY: view.getUint16(CONTENT_AT + 2),
    };
  }
  return { kind: 'paint', place, isChained: encoding === VNC.zrle };
}

function ofRdp(view: DataView, bytes: Uint8Array): Effect {
  if (view.byteLength < 8 || view.getUint8(0) === 3)
    return { kind: 'setting', ...sizeOfShare(bytes) };
  const head = view.getUint8(1) < 0x80 ? 2 : 3;
  // The player draws the pointer.
  if ((view.getUint8(head) & 15) !== BITMAP) return { kind: 'none' };
  const at = head + 7;
  if (view.byteLength < at + 8) return { kind: 'setting' };
  const side = (offset: number) => view.getUint16(at + offset, true);
  const [left, top, right, bottom] = [side(0), side(2), side(4), side(6)];
  return {
    kind: 'paint',
    place: { x: left, y: top, width: right - left + 1, height: bottom - top + 1 },
  };
}
