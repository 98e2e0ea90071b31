import type { ChannelWriter } from '../../../../platform/ssh/channel-writer.ts';
import type { Hub } from '../../../hub.ts';
import type { Access, Viewer } from '../../../ports.ts';
import type { Watcher } from '../../../sessions/session-client.ts';

/** What watching in a terminal needs. */
export interface Watching {
  readonly hub: Hub;
  readonly access: Access;
  readonly viewer: Omit<Viewer, 'organizationId'>;
  readonly writer: ChannelWriter;
  /** Resolves with the next key; with nothing when the client is gone. */
  readonly key: () => Promise<string | undefined>;
  /** The session has ended, or the right to watch it. */
  readonly onEnded: () => void;
}

/** The keys that leave: q, Ctrl-C, Ctrl-D. Once the session has ended, every key does. */
const LEAVING = ['q', 'Q', '\x03', '\x04'];

/** Shows a live session until the viewer leaves; false when there is none that may be watched. @throws Refusal */
export async function watchSession({ hub, access, viewer, writer, key, onEnded }: Watching, sessionId: string): Promise<boolean> {
  const info = hub.get(sessionId);
  const whole: Viewer | undefined = info && { ...viewer, organizationId: info.grant.asset.orgId };
  if (!whole || !(await access.mayWatch(whole))) return false;
  let hasEnded = false;
  let isBehind = false;
  const watcher: Watcher = {
    // A terminal that is too slow is shown the screen as it is when it has caught up.
    output: (chunk) => {
      if (!isBehind) isBehind = !writer.write(chunk);
    },
    resize: () => undefined,
    closed: () => {
      hasEnded = true;
      onEnded();
    },
  };
  const watching = hub.watch(sessionId, watcher, whole);
  writer.onDrain = () => {
    isBehind = false;
    isBehind = !writer.write(watching.snapshot());
  };
  for (let pressed = await key(); pressed !== undefined && !hasEnded && !LEAVING.includes(pressed); ) pressed = await key();
  watching.stop();
  writer.onDrain = () => undefined;
  return true;
}
