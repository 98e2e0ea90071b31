import type { Problem } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import { databaseClock } from '../../../platform/clock.ts';
import type { Hub } from '../../hub.ts';
import { type Grant, targetOf } from '../../ports/grant.ts';
import type { Invitations, Invited, Visit } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { isFault, problemOf, Refusal, uncheckedCodeOf } from '../../refusal.ts';
import { requireFactor } from '../../sessions/require-factor.ts';
import type { GuestClient } from '../../sessions/session-client.ts';
import { Guest } from '../../sessions/terminal/guests.ts';
import type { TerminalSession } from '../../sessions/terminal/terminal-session.ts';
import { gone } from '../open-for.ts';
import { parseClientMessage } from './messages.ts';
import { CLOSE, InputWindow, ProtocolSocket } from './socket.ts';
import { watcherOf } from './watch-socket.ts';

/** Maximum delay of one timer; guests who stay longer are checked daily. */
const MAX_TIMER_MS = 86_400_000;

export interface GuestContext {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
}

/**
 * Admits a guest with an accepted invitation into a session of this server. The guest's own
 * permission must allow the target at all times.
 */
export function serveGuest(
  context: GuestContext,
  socket: WebSocket,
  sessionId: string,
  visit: Visit,
): void {
  new GuestSocket(context, socket, sessionId, visit).begin().catch((error: unknown) => {
    context.ports.log.error({ session: sessionId, err: error }, 'a guest could not be served');
    socket.terminate();
  });
}

class GuestSocket {
  private readonly ports: GatewayPorts;
  private readonly hub: Hub;
  private readonly sessionId: string;
  private readonly visit: Visit;
  private readonly socket: ProtocolSocket;
  private readonly abandoned = new AbortController();
  private code:
    | { readonly done: (code: string) => void; readonly failed: (reason: Refusal) => void }
    | undefined;
  private session: TerminalSession | undefined;
  private guest: Guest | undefined;
  private snapshot: (() => Buffer) | undefined;
  private leave: (() => void) | undefined;
  private checkNow: (() => Promise<void>) | undefined;
  private ending: NodeJS.Timeout | undefined;
  /** Log writes of the visit, in order: leaving must follow joining. */
  private writing = Promise.resolve();
  private readonly typed = new InputWindow(
    () => this.session?.waitingInput ?? 0,
    (bytes) => this.socket.send({ type: 'taken', bytes }),
  );

  constructor({ ports, hub }: GuestContext, socket: WebSocket, sessionId: string, visit: Visit) {
    this.ports = ports;
    this.hub = hub;
    this.sessionId = sessionId;
    this.visit = visit;
    this.socket = new ProtocolSocket(socket, visit.person.language, {
      onText: (text) => this.onText(text),
      onBytes: (bytes) => this.onBytes(bytes),
      onGone: () => this.gone(),
    });
  }

  /** Checks all conditions and admits the guest, or reports the refusal. */
  async begin(): Promise<void> {
    try {
      // Check the invitation first: only its user may learn about the session.
      await this.invitations.find(this.visit.invitation, this.visit.person.userId);
      const session = this.hub.visited(this.sessionId);
      const { grant } = await this.check(session);
      await requireFactor(
        {
          ports: this.ports,
          person: this.visit.person,
          client: this.asks(),
          signal: this.abandoned.signal,
        },
        grant,
      );
      // Entering a code takes time, so check again.
      const allowed = await this.check(session);
      if (this.socket.isOver) return;
      await this.enter(session, allowed);
    } catch (error) {
      const problem = problemOf(error);
      if (isFault(problem))
        this.ports.log.error(
          { session: this.sessionId, err: error },
          'a guest could not be let in',
        );
      this.socket.finish(problem);
    }
  }

  private get invitations(): Invitations {
    const { invitations } = this.ports;
    if (!invitations) throw new Refusal('invitation_off');
    return invitations;
  }

  /** Returns the current rights from invitation and permission. @throws Refusal */
  private async check(
    session: TerminalSession,
  ): Promise<{ readonly invited: Invited; readonly grant: Grant }> {
    const { row, isOver, second } = session;
    const { person, invitation } = this.visit;
    const invited = await this.invitations.find(invitation, person.userId);
    if (isOver || invited.session !== row.id) throw new Refusal('invitation_unknown');
    const target = targetOf(row.grant);
    // A shell at a pod needs more than its account: its session knows what.
    const { access } = session.ports;
    const grant = await access.check(person, target.id, row.grant.systemUser.id, target.kind);
    const { approvals } = this.ports;
    // A guest cannot wait for a reviewer.
    if (grant.approval && !this.guest && !(await approvals?.find({ person, grant })))
      throw new Refusal('connect_approval_needed');
    if (grant.secondPerson && !second.covers(grant.secondPerson.ruleIds))
      throw new Refusal('connect_second_person_guest');
    return { invited, grant };
  }

  private async enter(
    session: TerminalSession,
    { invited, grant }: { readonly invited: Invited; readonly grant: Grant },
  ): Promise<void> {
    const { invitation, person, redraws } = this.visit;
    const watcher = watcherOf(
      () => this.socket,
      () => this.snapshot?.(),
      redraws,
    );
    const client: GuestClient = {
      ...watcher,
      holdInput: (on) => this.socket.hold(on),
      mayType: (types) => this.socket.send({ type: 'invited', types }),
    };
    const guest = new Guest(invitation, person, client);
    guest.types = invited.mayType;
    const { stop, snapshot } = session.admit(guest);
    this.session = session;
    this.guest = guest;
    this.snapshot = snapshot;
    const { leave, check } = this.hub.follow({
      loginId: person.loginId,
      watcher: client,
      check: () => this.recheck(session, guest),
      stop: (problem) => {
        clearTimeout(this.ending);
        const hasLeft = stop();
        if (problem) this.write(() => this.invitations.end(invitation, problem.code));
        else if (hasLeft) this.write(() => this.invitations.left(invitation));
      },
    });
    this.leave = leave;
    this.checkNow = check;
    this.endAt(invited, grant);
    this.typed.begin();
    this.write(() => this.invitations.joined(invitation, person.remoteAddr));
  }

  /** Returns the problem if the visit must end now. */
  private async recheck(session: TerminalSession, guest: Guest): Promise<Problem | undefined> {
    try {
      if (!(await this.ports.access.isSignedIn(this.visit.person.loginId)))
        return { code: 'session_signed_out' };
      const { invited, grant } = await this.check(session);
      session.guests.allow(guest, invited.mayType);
      this.endAt(invited, grant);
      return undefined;
    } catch (error) {
      // If the session is ending, report that instead of an error from its cleanup.
      if (session.isOver) return { code: 'session_finished' };
      // The caller logs an error of the program.
      if (uncheckedCodeOf(error)) throw error;
      const problem = problemOf(error);
      return problem.code === 'connect_denied' ? { code: 'connect_expired' } : problem;
    }
  }

  /** Checks again when the invitation or permission expires, or a condition may change. */
  private endAt({ validUntil }: Invited, grant: Grant): void {
    const ends = [validUntil, grant.validUntil, grant.changesAt].flatMap((date) =>
      date ? [date.getTime()] : [],
    );
    clearTimeout(this.ending);
    if (ends.length === 0) return;
    this.ending = setTimeout(
      () => void this.checkNow?.(),
      Math.min(Math.max(Math.min(...ends) - databaseClock.now(), 0) + 1, MAX_TIMER_MS),
    );
  }

  private asks() {
    return {
      stage: () => undefined,
      askCredentials: () => Promise.reject(gone()),
      askFactor: (again: boolean) =>
        new Promise<string>((done, failed) => {
          this.code = { done, failed };
          this.socket.send({ type: 'need_factor', again });
        }),
      opened: () => undefined,
      closed: () => undefined,
    };
  }

  private onText(text: string): void {
    const message = parseClientMessage(text);
    if (message?.type === 'ack') return;
    if (message?.type === 'ping') this.socket.send({ type: 'pong' });
    else if (message?.type === 'factor' && this.code) {
      const { done } = this.code;
      this.code = undefined;
      done(message.code);
    } else this.sendAway(CLOSE.policy, 'a guest cannot say this');
  }

  private onBytes(bytes: Buffer): void {
    if (!this.session || !this.guest) this.sendAway(CLOSE.policy, 'not let in yet');
    else if (this.session.input(bytes, this.guest)) this.typed.add(bytes.length);
    else this.sendAway(CLOSE.tooBig, 'input faster than the server reads it');
  }

  private sendAway(code: number, reason: string): void {
    this.socket.close(code, reason);
    this.gone();
  }

  private gone(): void {
    this.typed.stop();
    this.code?.failed(gone());
    this.abandoned.abort(gone());
    this.leave?.();
  }

  private write(work: () => Promise<void>): void {
    this.writing = this.writing
      .then(work)
      .catch((error: unknown) =>
        this.ports.log.error(
          { session: this.sessionId, err: error },
          'a visit could not be written down',
        ),
      );
  }
}
