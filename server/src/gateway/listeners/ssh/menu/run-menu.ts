import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import type { Person } from '../../../ports/people.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { ConnectionRequest } from '../../../sessions/dial.ts';
import type { SshContext } from '../ports.ts';
import { LineEditor } from '../typing/line-editor.ts';
import { completeHostname, Menu } from './menu.ts';
import { isSharing, joinSession, Sharing } from './sharing.ts';

export interface MenuChannel {
  readonly context: SshContext;
  readonly person: Person;
  readonly name: string;
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly size: () => TerminalSize;
  readonly connect: (request: ConnectionRequest) => Promise<void>;
  /** Returns the lines that explain an error. */
  readonly wordsOf: (error: unknown) => readonly string[];
}

/** Shows the menu on a channel with a terminal until the user leaves. */
export function runMenu({
  context,
  person,
  name,
  channel,
  writer,
  size,
  connect,
  wordsOf,
}: MenuChannel): Promise<void> {
  const { ssh, ports } = context;
  const { userId, language, loginId = '', remoteAddr } = person;
  const show = (text: string) => void writer.write(Buffer.from(text));
  const editor = new LineEditor({
    channel,
    show,
    columns: () => size().cols,
    complete: (text) => completeHostname(ssh.targets, userId, text),
  });
  const lines = (texts: readonly string[]) => show(texts.map((text) => `${text}\r\n`).join(''));
  const withErrors = (work: Promise<void>) => work.catch((error: unknown) => lines(wordsOf(error)));
  const sharing = new Sharing({ sharing: ssh.sharing, person, size, lines });
  return new Menu({
    userId,
    name,
    language,
    targets: ssh.targets,
    databases: ssh.databases,
    editor,
    show,
    size,
    pageSize: () => ssh.settings().pageSize,
    isSignedIn: () => ports.access.isAdmitted({ loginId, remoteAddr }),
    connect,
    join: (reference) =>
      withErrors(joinSession({ context, person, channel, writer, editor, size }, reference)),
    share: (line) => (isSharing(line) ? withErrors(sharing.handle(line)) : undefined),
  }).run();
}
