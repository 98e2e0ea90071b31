import { say } from '@sallyport/contract';
import type { ChannelWriter } from '../../../../platform/ssh/channel-writer.ts';
import type { ServerChannel } from '../../../../platform/ssh/ssh2.ts';
import type { Person } from '../../../ports.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { ConnectionRequest } from '../../../sessions/dial.ts';
import type { SshContext } from '../context.ts';
import { LineEditor } from './line-editor.ts';
import { completeHostname, Menu } from './menu.ts';
import { watchSession } from './watch.ts';
import { words } from './words.ts';

/** What the menu of a channel is made of. */
export interface MenuChannel {
  readonly context: SshContext;
  readonly person: Person;
  readonly name: string;
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly size: () => TerminalSize;
  readonly connect: (request: ConnectionRequest) => Promise<void>;
}

/** Shows the menu on a channel with a terminal until the person leaves. */
export function runMenu({ context, person, name, channel, writer, size, connect }: MenuChannel): Promise<void> {
  const { ssh, hub, ports } = context;
  const { userId, language, loginId = '', remoteAddr } = person;
  const show = (text: string) => void writer.write(Buffer.from(text));
  const editor = new LineEditor(channel, show, (text) => completeHostname(ssh.targets, userId, text));
  const viewer = { userId, loginId, remoteAddr, language };
  return new Menu({
    userId,
    name,
    language,
    targets: ssh.targets,
    editor,
    show,
    size,
    pageSize: () => ssh.settings().pageSize,
    isSignedIn: () => ports.access.isSignedIn(loginId),
    connect,
    watch: async (sessionId) => {
      const onEnded = () => show(`\r\n${say(words.watchEnded, language)}\r\n`);
      if (hub.get(sessionId)) show(`${say(words.watching, language)}\r\n`);
      return watchSession({ hub, access: ports.access, viewer, writer, size: size(), key: () => editor.key(), onEnded }, sessionId);
    },
  }).run();
}
