/** Actions of the "Extended Clipboard Pseudo-Encoding" (RFB community). */
const ACTION = {
  caps: 1 << 24,
  request: 1 << 25,
  peek: 1 << 26,
  notify: 1 << 27,
  provide: 1 << 28,
} as const;

/** Directions in which texts may pass: from the desktop, and to it. */
export interface ClipboardRights {
  readonly copy: boolean;
  readonly paste: boolean;
}

/**
 * Returns true if a clipboard message may pass in its direction. `extended` is the body of an
 * extended message, which begins with its flags.
 */
export function mayPass(
  rights: ClipboardRights,
  from: 'desktop' | 'page',
  extended: Buffer | undefined,
): boolean {
  // Messages that carry text need the right of their direction; requests need that of the answer.
  const [canSend, canRequest] =
    from === 'desktop' ? [rights.copy, rights.paste] : [rights.paste, rights.copy];
  if (!extended) return canSend;
  if (extended.length < 4) return false;
  const flags = extended.readUInt32BE(0);
  const has = (action: number) => (flags & action) !== 0;
  if (has(ACTION.notify) || has(ACTION.provide)) return canSend;
  if (has(ACTION.request) || has(ACTION.peek)) return canRequest;
  return has(ACTION.caps) && (canSend || canRequest);
}
