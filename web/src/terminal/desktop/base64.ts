/** Returns bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  // Below the number of arguments that every browser takes.
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** Returns the bytes of a base64 text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
