/** Maximum characters of a peer's text in one of our sentences. */
const MAX_WORDS = 200;
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/**
 * Returns the first line of a peer's text for one of our sentences. Peers may repeat what we sent,
 * so the secret is removed.
 */
export function peerWords(text: string, secret = ''): string {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1);
  const words = (secret ? line.replaceAll(secret, '…') : line)
    .replace(CONTROLS, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
