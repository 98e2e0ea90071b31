import type { ClipboardRights } from '@sallyport/contract';

/** The actions of the extended clipboard: the RFB community's description, "Extended Clipboard Pseudo-Encoding". */
const ACTION = {
  caps: 1 << 24,
  request: 1 << 25,
  peek: 1 << 26,
  notify: 1 << 27,
  provide: 1 << 28,
} as const;

/** Whether a message of the clipboard may pass, by its direction. An extended one begins with its flags; a plain one is the text. */
export function mayPass(
  rights: ClipboardRights,
  from: 'desktop' | 'page',
  extended: Buffer | undefined,
): boolean {
  // What brings a text goes with it; what asks for one goes with the text that answers.
  const [brings, asks] =
    from === 'desktop' ? [rights.copy, rights.paste] : [rights.paste, rights.copy];
  if (!extended) return brings;
  if (extended.length < 4) return false;
  const flags = extended.readUInt32BE(0);
  const has = (action: number) => (flags & action) !== 0;
  if (has(ACTION.notify) || has(ACTION.provide)) return brings;
  if (has(ACTION.request) || has(ACTION.peek)) return asks;
  return has(ACTION.caps) && (brings || asks);
}
