import { ERRORS, type ErrorCode, PROTOCOLS } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { endOf } from './session-ends.ts';

/** Codes of sign-in sessions, not of connections. */
const OF_SIGN_IN: readonly ErrorCode[] = ['session_empty'];
const ends = (Object.keys(ERRORS) as ErrorCode[]).filter(
  (code) => /^(connect|session)_/.test(code) && !OF_SIGN_IN.includes(code),
);

describe('how ends are shown', () => {
  it('finds more than 15 codes of ends in the contract', () => {
    expect(ends.length).toBeGreaterThan(15);
  });

  it('names a protocol only where the end is of this protocol', () => {
    const names = new RegExp(`\\b(?:${PROTOCOLS.map(({ name }) => name).join('|')})\\b`, 'gi');
    const entries = ends.flatMap((code) => {
      const { title, hint } = endOf(code);
      const texts = [ERRORS[code], title, hint].flatMap((text) => (text ? [text.en, text.zh] : []));
      const matches = new Set(
        texts
          .join(' ')
          .match(names)
          ?.map((name) => name.toLowerCase()),
      );
      return matches.size > 0 ? [[code, [...matches]]] : [];
    });
    expect(Object.fromEntries(entries)).toEqual({
      // A client asks a reviewer, or a second person watches, in the browser or over SSH.
      connect_approval_needed: ['ssh'],
      connect_second_person: ['ssh'],
      connect_outdated: ['ssh'],
      connect_outdated_gateway: ['ssh'],
      connect_no_greeting: ['ssh'],
      connect_protocol_error: ['ssh'],
      connect_rdp_no_tls: ['rdp'],
      connect_rdp_negotiation: ['rdp'],
      connect_desktop_code: ['rdp'],
      // VNC is the way out.
      connect_rdp_no_bitmaps: ['rdp', 'vnc'],
    });
  });

  it.each(ends)('has specific texts for %s', (code) => {
    expect(endOf(code)).not.toBe(endOf('internal'));
  });
});
