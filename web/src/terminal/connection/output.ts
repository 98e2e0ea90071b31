/**
 * A portion of output; `drawn` must be called once it is on the screen, or the gateway stops
 * sending.
 */
export interface Output {
  readonly bytes: Uint8Array;
  readonly drawn: () => void;
}
