import type { Recordings } from '../../../platform/storage/recordings.ts';
import { targetOf } from '../../ports/grant.ts';
import type { DesktopEvents, DesktopRequest, DesktopWish } from '../../protocols/target-desktop.ts';
import { Refusal } from '../../refusal.ts';
import { beginRecorded } from '../begin-recorded.ts';
import type { SessionOpener } from '../open-session.ts';
import { DesktopSession, type DesktopSessionParts } from './desktop-session.ts';
import type { DesktopSessionClient } from './desktop-session-client.ts';
import { DesktopRecorder } from './recorder/desktop-recorder.ts';

export interface DesktopOpening {
  readonly client: DesktopSessionClient;
  /** Window size in pixels and other wishes of the user. */
  readonly wish: DesktopWish;
  readonly recordings: Recordings;
  readonly live?: DesktopSessionParts['live'];
}

/** Opens desktop sessions: first the recording, then the desktop. */
export function desktopOpener(opening: DesktopOpening): SessionOpener<DesktopSession> {
  return {
    kind: 'desktop',
    begin: (parts) =>
      beginRecorded(parts, opening.recordings, async (options) => {
        const recorder = await DesktopRecorder.start(options);
        const { client, live } = opening;
        return new DesktopSession({
          ...parts,
          client,
          recorder,
          ...(live && { live }),
        });
      }),
    async open(session, { openDesktop }) {
      const { grant } = session.row;
      // An enforced account may run only listed commands, which a desktop cannot check.
      if (grant.systemUser.allowedCommands !== undefined) throw new Refusal('account_enforced');
      if (!openDesktop)
        throw new Refusal('connect_protocol', { protocol: grant.systemUser.protocol });
      const events: DesktopEvents = {
        onShow: (bytes) => session.show(bytes),
        onPicture: (...picture) => session.record(...picture),
        onInput: (pointer) => session.did(pointer),
        onKey: (key) => session.typed(key),
        onFiles: (rights) => session.passesFiles(rights),
        onFile: (operation, name) => session.transfer(operation, name),
        onFileRefused: (operation, name, reason) => session.refuseTransfer(operation, name, reason),
        onResizable: () => opening.client.resizable(),
        onDrain: () => session.inputDrained(),
        onEnd: (how, detail) => session.targetEnded(how, detail),
      };
      const { remoteApp } = grant;
      const request: DesktopRequest = {
        ...opening.wish,
        name: targetOf(grant).name,
        ...session.rights,
        ...(session.drive && { drive: session.drive }),
        ...(remoteApp && { program: remoteApp.program, folder: remoteApp.folder }),
      };
      session.attach(await openDesktop(request, events));
    },
  };
}
