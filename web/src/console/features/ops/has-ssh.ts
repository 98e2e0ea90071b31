/** Returns true if one of an asset's protocols is SSH, which batch commands need. */
export const hasSsh = (protocols: readonly string[]) =>
  protocols.some((protocol) => protocol.startsWith('ssh/'));
