import { joined } from './pdus.ts';

/**
 * IronRDP asks a proxy to connect (RDCleanPath) before it speaks RDP. No such proxy exists: the
 * gateway has already connected, checked the certificate and signed in. The frame therefore answers
 * the request and reports that TLS was chosen.
 */

/**
 * A placeholder for the server certificate. IronRDP parses it and uses nothing of it; we keep no
 * private key for it.
 */
const CERTIFICATE =
  'MIIBbzCCARWgAwIBAgIUDqkZal1xKdpnlLEXqDe2PwKPm5YwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBczAgFw0yNjExMjIwMTA1MTdaGA8yMTI2MTAyOTAxMDUxN1owDDEKMAgGA1UEAwwBczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKCo+NbzXd7fuUScHvoKMhTFbc+hW9VEaFq8vyaSUGBwez08y5rByoT28htZgbBwNJGAHTPy8niD+D8cFwk2IyqjUzBRMB0GA1UdDgQWBBTFU+VqM2dMuxTqEx8yhAo9a4SWBTAfBgNVHSMEGDAWgBTFU+VqM2dMuxTqEx8yhAo9a4SWBTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCqkLCv9AAbsTKpfrIywgkmbm5fgcV7raR1cvgBkva43QIgPdIQVo72IKbjCoR0o83TjyLcrzgXO4waqLSGD/L/a/U=';

/** X.224 Connection Confirm: TLS was chosen (MS-RDPBCGR 2.2.1.2.1). */
const CONFIRM = Uint8Array.of(3, 0, 0, 19, 14, 0xd0, 0, 0, 0x12, 0x34, 0, 2, 0, 8, 0, 1, 0, 0, 0);
const VERSION = Uint8Array.of(0x0d, 0x3e);
const TAG = {
  integer: 0x02,
  octets: 0x04,
  text: 0x0c,
  sequence: 0x30,
  version: 0xa0,
  confirm: 0xa6,
  certificates: 0xa7,
  address: 0xa9,
} as const;

function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = joined(...parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 255];
  return joined(Uint8Array.from(head), content);
}

/** Encodes the proxy's answer. */
export function cleanPathAnswer(): Uint8Array<ArrayBuffer> {
  const certificate = Uint8Array.from(atob(CERTIFICATE), (character) => character.charCodeAt(0));
  return der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, VERSION)),
    der(TAG.confirm, der(TAG.octets, CONFIRM)),
    der(TAG.certificates, der(TAG.sequence, der(TAG.octets, certificate))),
    der(TAG.address, der(TAG.text, new TextEncoder().encode('desktop'))),
  );
}
