import { copyText, readClipboard } from '../../kit/clipboard.ts';
import { settingsStore } from '../settings/settings-store.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import { openLink } from '../view/terminal-view.ts';
import { isMultiline } from './typed-input.ts';

/** The messages and questions of copying and pasting. */
export interface ClipboardTools {
  readonly confirmPaste: (text: string) => Promise<boolean>;
  readonly confirmLink: (address: string) => Promise<boolean>;
  readonly copyFailed: () => void;
  readonly pasteBlocked: () => void;
}

/** Copies the selection of a session, if there is one. */
export async function copySelection({ view }: SessionTab, tools: ClipboardTools): Promise<void> {
  const { selection } = view;
  if (selection && !(await copyText(selection))) tools.copyFailed();
}

/** Pastes a text into a session. Asks first about several lines, if the settings require it. */
export async function pasteInto(
  session: SessionTab,
  text: string,
  tools: ClipboardTools,
): Promise<void> {
  if (
    settingsStore.get().confirmMultilinePaste &&
    isMultiline(text) &&
    !(await tools.confirmPaste(text))
  ) {
    session.view.focus();
    return;
  }
  session.view.paste(text);
  session.view.focus();
}

/** Pastes the clipboard, if the browser allows the page to read it. */
export async function pasteClipboard(session: SessionTab, tools: ClipboardTools): Promise<void> {
  const text = await readClipboard();
  if (text === null) tools.pasteBlocked();
  else if (text !== '') await pasteInto(session, text, tools);
}

function isPlainControl(event: KeyboardEvent, code: string): boolean {
  return event.code === code && event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey;
}

/** Connects copying, pasting and links of this window to a session. */
export function attachClipboard(session: SessionTab, tools: ClipboardTools): void {
  const { view } = session;
  view.on('paste', (text) => void pasteInto(session, text, tools));
  view.on('link', (address) => {
    void tools.confirmLink(address).then((agreed) => {
      if (agreed) openLink(address);
      view.focus();
    });
  });
  view.on('contextMenu', () => {
    if (settingsStore.get().rightClickPastes) void pasteClipboard(session, tools);
  });
  view.on('selection', (text) => {
    if (text && settingsStore.get().copyOnSelect) void copyText(text);
  });
  view.onKey((event) => {
    if (event.type !== 'keydown' || !settingsStore.get().browserKeys) return true;
    if (isPlainControl(event, 'KeyV')) return false;
    if (!isPlainControl(event, 'KeyC') || !view.selection) return true;
    event.preventDefault();
    void copySelection(session, tools);
    // The next Ctrl+C interrupts again.
    view.clearSelection();
    return false;
  });
}
