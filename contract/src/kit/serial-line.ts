/** Bits per second, and optionally data bits, parity and stop bits: `9600`, `9600 7E1`. */
const SERIAL_LINE = /^([1-9]\d{1,6})(?: ([5-8])([NEOMS])([12]))?$/;
const PARITIES = { N: 1, O: 2, E: 3, M: 4, S: 5 } as const;

/** The speed and the format of a serial line, with the numbers of RFC 2217. */
export interface SerialLine {
  readonly speed: number;
  readonly dataBits: number;
  readonly parity: number;
  readonly stopBits: number;
}

/** Reads a serial line such as `115200 8N1`; undefined if it is malformed. */
export function readSerialLine(line: string): SerialLine | undefined {
  const [, speed, dataBits = '8', parity = 'N', stopBits = '1'] = SERIAL_LINE.exec(line) ?? [];
  if (speed === undefined) return undefined;
  return {
    speed: Number(speed),
    dataBits: Number(dataBits),
    parity: PARITIES[parity as keyof typeof PARITIES],
    stopBits: Number(stopBits),
  };
}
