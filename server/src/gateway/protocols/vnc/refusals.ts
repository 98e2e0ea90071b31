import { setTimeout } from 'node:timers/promises';
import type { Incoming } from '@sallyport/vnc';
import { peerWords } from '../../peer-words.ts';
import { Refusal } from '../../refusal.ts';

/** Bytes of a reason that are read; servers may send more. */
const MAX_REASON = 1024;
/** The reason follows its refusal at once; some servers owe it. */
const REASON_WAIT_MS = 2000;
/** Results of a sign-in (RFC 6143, section 7.1.3, and 7.2.2 of TightVNC and TigerVNC). */
const RESULT = { failed: 1, tooMany: 2 } as const;

/** Texts of servers that wait after wrong passwords: TigerVNC, TightVNC, RealVNC, UltraVNC. */
const TOO_MANY = /too many (?:security|authentication|failed|login|connection)/i;
/**
 * Texts that name the password or nothing, by TigerVNC, x11vnc, QEMU, UltraVNC, wayvnc, RealVNC.
 */
const WRONG_PASSWORD =
  /^(?:|(?:vnc )?authenticat(?:ion|ing) fail(?:ed|ure)|password check failed!?|either the username was not recognised, or the password was incorrect|(?:wrong|invalid|incorrect|bad) (?:username or )?password)[.!]?$/i;

/** Reads the reason of a refusal; '' if the server closes before its end, or sends none. */
export function readWords(incoming: Incoming, secret?: string): Promise<string> {
  const words = async () => {
    const length = (await incoming.take(4)).readUInt32BE(0);
    return peerWords((await incoming.take(Math.min(length, MAX_REASON))).toString('utf8'), secret);
  };
  return Promise.race([words().catch(() => ''), setTimeout(REASON_WAIT_MS, '', { ref: false })]);
}

/** The refusal of a server that offers no sign-in, by its words. */
export function connectionRefusalOf(words: string, host: string): Refusal {
  return words === '' || TOO_MANY.test(words)
    ? new Refusal('connect_desktop_busy', { host })
    : new Refusal('connect_desktop_words', { host, words });
}

/** The refusal of a sign-in, by the result and the words of the server. */
export function signInRefusalOf(
  { result, words }: { readonly result: number; readonly words: string },
  { host, account }: { readonly host: string; readonly account: string },
): Refusal {
  if (TOO_MANY.test(words) || (result === RESULT.tooMany && words === ''))
    return new Refusal('connect_desktop_busy', { host });
  if (WRONG_PASSWORD.test(words) && (result === RESULT.failed || words !== ''))
    return new Refusal('connect_credentials', { host, account });
  return new Refusal('connect_desktop_words', { host, words: words || `result ${result}` });
}
