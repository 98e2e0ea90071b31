import type { ChannelWriter } from '../../../../platform/ssh/channel-writer.ts';
import type { Hub } from '../../../hub.ts';
import type { Access, Viewer } from '../../../ports.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { Watcher } from '../../../sessions/session-client.ts';

/** What watching in a terminal needs. */
export interface Watching {
  readonly hub: Hub;
  readonly access: Access;
  readonly viewer: Omit<Viewer, 'organizationId'>;
  readonly writer: ChannelWriter;
  /** Of the viewer's terminal, which has it again afterwards. */
  readonly size: TerminalSize;
  /** Resolves with the next key; with nothing when the client is gone. */
  readonly key: () => Promise<string | undefined>;
  /** The session has ended, or the right to watch it. */
  readonly onEnded: () => void;
}

/** Asks a terminal for a size (CSI 8 ; height ; width t of xterm). One that may be resized follows; any other shows what it can. */
const sizeRequest = ({ cols, rows }: TerminalSize) => Buffer.from(`\x1b[8;${rows};${cols}t`);

/** The keys that leave: q, Ctrl-C, Ctrl-D. Once the session has ended, every key does. */
const LEAVING = ['q', 'Q', '\x03', '\x04'];

/** Shows a live session until the viewer leaves; false when there is none that may be watched. @throws Refusal */
export async function watchSession({ hub, access, viewer, writer, size, key, onEnded }: Watching, sessionId: string): Promise<boolean> {
  const info = hub.get(sessionId);
  const whole: Viewer | undefined = info && { ...viewer, organizationId: info.grant.asset.orgId };
  if (!whole || !(await access.mayWatch(whole))) return false;
  let hasEnded = false;
  let isBehind = false;
  let again: (() => Buffer) | undefined;
  const watcher: Watcher = {
    // A terminal that is too slow is shown the screen as it is when it has caught up.
    output: (chunk) => {
      if (!isBehind) isBehind = !writer.write(chunk);
    },
    resize: (cols, rows) => {
      writer.write(sizeRequest({ cols, rows }));
      if (again) isBehind = !writer.write(again());
    },
    closed: () => {
      hasEnded = true;
      onEnded();
    },
  };
  const watching = hub.watch(sessionId, watcher, whole);
  again = watching.snapshot;
  writer.onDrain = () => {
    isBehind = false;
    isBehind = !writer.write(watching.snapshot());
  };
  for (let pressed = await key(); pressed !== undefined && !hasEnded && !LEAVING.includes(pressed); ) pressed = await key();
  watching.stop();
  writer.write(sizeRequest(size));
  writer.onDrain = () => undefined;
  return true;
}
