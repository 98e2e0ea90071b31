import { isUuid, say } from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import { socketPair } from '../../../../platform/peers/pair.ts';
import type { Person } from '../../../ports/people.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { SshContext } from '../ports.ts';
import { TextError } from '../text-error.ts';
import type { LineEditor } from '../typing/line-editor.ts';
import { follow } from './follow.ts';
import { words } from './words.ts';

export interface VisitParts {
  readonly context: SshContext;
  readonly person: Person;
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly editor: LineEditor;
  readonly size: () => TerminalSize;
}

/** Secret of an invitation, alone or at the end of its link. */
const SECRET = /^(?:https?:\/\/\S+#)?([\w-]{20,64})$/;

/**
 * Shows a live session on any server until the viewer leaves. The reference is a session id for a
 * watcher, or an invitation for a guest.
 * @throws TextError, Refusal and other errors with a code
 */
export async function joinSession(parts: VisitParts, reference: string): Promise<void> {
  if (isUuid(reference)) return watch(parts, reference);
  const [, secret] = SECRET.exec(reference) ?? [];
  if (secret === undefined) throw new TextError(words.noSession);
  return visit(parts, secret);
}

async function watch(parts: VisitParts, sessionId: string): Promise<void> {
  const { context, person } = parts;
  const { userId, loginId = '', remoteAddr, language } = person;
  const live = await context.ssh.sharing.live(sessionId);
  const viewer = live && {
    userId,
    loginId,
    remoteAddr,
    language,
    organizationId: live.organizationId,
    redraws: true,
  };
  if (!viewer || !(await context.ports.access.mayWatch(viewer)))
    throw new TextError(words.noSession);
  if (!live.hasTerminal) throw new TextError(words.noTerminal);
  const { near, far } = await socketPair();
  context.visits.watch(far, sessionId, viewer);
  parts.writer.write(Buffer.from(`${say(words.watching, language)}\r\n`));
  await follow(near, { ...parts, language, isGuest: false, typedAhead: parts.editor.takeTyped() });
}

async function visit(parts: VisitParts, secret: string): Promise<void> {
  const { context, person } = parts;
  const { loginId = '', language } = person;
  const { invitation, session, user, asset } = await context.ssh.sharing.accept(person, secret);
  const { near, far } = await socketPair();
  context.visits.guest(far, session, { invitation, person: { ...person, loginId }, redraws: true });
  parts.writer.write(Buffer.from(`${say(words.visiting, language, { user, asset })}\r\n`));
  await follow(near, { ...parts, language, isGuest: true, typedAhead: parts.editor.takeTyped() });
}
