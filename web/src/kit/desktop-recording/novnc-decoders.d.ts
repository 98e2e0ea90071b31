/** Input of a noVNC decoder: `core/websock.js` of the package. */
interface NovncSource {
  /** Returns true if fewer than `length` bytes are available. */
  rQwait(what: string, length: number, back?: number): boolean;
  rQlen(): number;
  rQpeek8(): number;
  rQpeekBytes(length: number, copy?: boolean): Uint8Array;
  rQskipBytes(length: number): void;
  rQshift8(): number;
  rQshift16(): number;
  rQshift32(): number;
  rQshiftBytes(length: number, copy?: boolean): Uint8Array;
  rQshiftTo(target: Uint8Array, length: number): void;
}

/** Output of a noVNC decoder: `core/display.js` of the package. */
interface NovncDisplay {
  fillRect(x: number, y: number, width: number, height: number, color: ArrayLike<number>): void;
  copyImage(
    fromX: number,
    fromY: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void;
  blitImage(
    x: number,
    y: number,
    width: number,
    height: number,
    pixels: Uint8Array,
    offset: number,
  ): void;
  imageRect(
    x: number,
    y: number,
    width: number,
    height: number,
    type: string,
    bytes: Uint8Array,
  ): void;
}

interface NovncDecoder {
  /** Draws a rectangle; returns false if bytes are missing. */
  decodeRect(
    x: number,
    y: number,
    width: number,
    height: number,
    source: NovncSource,
    display: NovncDisplay,
    depth: number,
  ): boolean;
}

declare module '@novnc/novnc/core/decoders/copyrect.js' {
  const Decoder: new () => NovncDecoder;
  export default Decoder;
}
declare module '@novnc/novnc/core/decoders/hextile.js' {
  const Decoder: new () => NovncDecoder;
  export default Decoder;
}
declare module '@novnc/novnc/core/decoders/raw.js' {
  const Decoder: new () => NovncDecoder;
  export default Decoder;
}
declare module '@novnc/novnc/core/decoders/rre.js' {
  const Decoder: new () => NovncDecoder;
  export default Decoder;
}
declare module '@novnc/novnc/core/decoders/tight.js' {
  const Decoder: new () => NovncDecoder;
  export default Decoder;
}
declare module '@novnc/novnc/core/decoders/zrle.js' {
  const Decoder: new () => NovncDecoder;
  export default Decoder;
}
