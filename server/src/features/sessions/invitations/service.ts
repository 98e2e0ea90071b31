import {
  type AcceptedInvitation,
  formatDatetime,
  isUuid,
  type NewSessionInvitation,
  type SessionInvitation,
} from '@sallyport/contract';
import { type Actor, displayName } from '../../../platform/actor.ts';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import { type Tx, transact } from '../../../platform/db/database.ts';
import { Conflict, Forbidden, NotFound, Rejected } from '../../../platform/errors.ts';
import { createEndLog, entryOf, within } from './audit-entries.ts';
import type { GuestEvent, GuestOrigin, InvitationOptions, InvitationRequest } from './requests.ts';
import {
  bindGuest,
  countInvitations,
  endInvitation,
  endOfSession,
  endOverdue,
  type InvitationRow,
  insertInvitation,
  invitationById,
  invitationOf,
  invitationsOf,
  liveSession,
  noteVisit,
  type OwnSession,
  ownedBy,
  ownTerminals,
  setTyping,
} from './store.ts';

/** Maximum number of open invitations of a session, and of all that it ever had. */
export const MOST_OPEN = 10;
export const MOST_IN_ALL = 50;
/** Channel that announces changes of the guests of a session. The payload is the session id. */
export const GUESTS_CHANNEL = 'session_guests';

interface Requester {
  readonly actor: Actor;
  readonly zone: string;
}

/**
 * Invitations into live sessions. Owners create and end invitations, guests accept them. Each step
 * is an entry of the operate log.
 */
export class InvitationService {
  private readonly options: InvitationOptions;
  private readonly writeEnded: ReturnType<typeof createEndLog>;

  constructor(options: InvitationOptions) {
    this.options = options;
    this.writeEnded = createEndLog(options.audit);
  }

  /** Returns true if the setting currently allows invitations. */
  isAllowed(): boolean {
    return this.options.isAllowed();
  }

  /** The invitations of a session. The caller of this function has checked access. */
  of(session: string, zone: string): Promise<SessionInvitation[]> {
    return this.rowsOf(session, zone);
  }

  /** The organization of a live session, and whether the session has a terminal. */
  live(session: string) {
    return liveSession(this.options.db, session);
  }

  /** The running terminals of a user, with their guests. */
  terminals(userId: string) {
    return ownTerminals(this.options.db, userId);
  }

  /** The invitations into a running terminal of the caller. @throws NotFound */
  async own(session: string, { actor, zone }: Requester): Promise<SessionInvitation[]> {
    const { id } = await ownedBy(this.options.db, session, actor);
    return this.rowsOf(id, zone);
  }

  /**
   * Creates an invitation. Only this answer contains its secret.
   * @throws Forbidden, NotFound, Conflict
   */
  async create(
    session: string,
    { mayType, minutes, forUsername }: InvitationRequest,
    { actor, zone }: Requester,
  ): Promise<NewSessionInvitation> {
    this.assertAllowed();
    const { db, audit } = this.options;
    const secret = randomToken();
    const id = await transact(db, async (tx) => {
      const owned = await ownedBy(tx, session, actor, true);
      const { all, open } = await countInvitations(tx, owned.id);
      if (open >= MOST_OPEN || all >= MOST_IN_ALL)
        throw new Conflict('invitation_limit', { open: MOST_OPEN, max: MOST_IN_ALL });
      const created = await insertInvitation(tx, {
        session: owned.id,
        digest: tokenDigest(secret),
        mayType,
        forUsername,
        minutes,
      });
      const changes = {
        may_type: [null, mayType] as const,
        minutes: [null, minutes] as const,
        ...(forUsername !== null && { for_username: [null, forUsername] as const }),
      };
      await audit(
        tx,
        within(actor, owned.organization),
        entryOf(owned, created, { action: 'create', changes }),
      );
      return created;
    });
    const [row] = await this.rowsOf(session, zone, id);
    if (!row) throw new NotFound('invitation_unknown');
    return { ...row, secret };
  }

  /**
   * Binds the invitation to the first guest who presents its secret and may use the account of its
   * session. For other users the invitation does not exist.
   * @throws Forbidden, NotFound, Rejected
   */
  async accept(secret: string, actor: Actor, origin: GuestOrigin): Promise<AcceptedInvitation> {
    this.assertAllowed();
    const { db, audit } = this.options;
    const digest = tokenDigest(secret);
    await this.assertGranted(await invitationOf(db, digest), origin);
    return transact(db, async (tx) => {
      const row = await invitationOf(tx, digest, true);
      if (!row || row.isEnded) throw new NotFound('invitation_unknown');
      if (row.isExpired) throw new NotFound('invitation_expired');
      if (row.ownerId === actor.userId) throw new Rejected('invitation_for_another');
      if (
        row.forUsername !== null &&
        row.forUsername.toLowerCase() !== actor.username.toLowerCase()
      )
        throw new Forbidden('invitation_for_another');
      if (row.guestId !== null && row.guestId !== actor.userId)
        throw new Forbidden('invitation_taken');
      if (row.guestId === null) {
        const name = displayName(actor);
        await bindGuest(tx, row.invitation, {
          id: actor.userId,
          name,
          remoteAddr: actor.remoteAddress,
        });
        await audit(
          tx,
          within(actor, row.organization),
          entryOf(row, row.invitation, { action: 'accept', changes: { guest: [null, name] } }),
        );
      }
      return {
        invitation: row.invitation,
        session: row.id,
        user: row.user,
        asset: row.asset,
        system_user: row.systemUser,
        may_type: row.mayType,
      };
    });
  }

  /** Allows or forbids the guest to type. @throws NotFound */
  allowTyping(session: string, invitation: string, mayType: boolean, actor: Actor): Promise<void> {
    return this.change(session, invitation, actor, async (tx, owned) => {
      if (!(await setTyping(tx, invitation, mayType))) return;
      await this.options.audit(
        tx,
        within(actor, owned.organization),
        entryOf(owned, invitation, {
          action: 'update',
          changes: { may_type: [!mayType, mayType] },
        }),
      );
    });
  }

  /** Ends an invitation and the visit of its guest. @throws NotFound */
  revoke(session: string, invitation: string, actor: Actor): Promise<void> {
    return this.change(session, invitation, actor, async (tx) =>
      this.writeEnded(tx, await endInvitation(tx, invitation, 'invitation_ended'), actor),
    );
  }

  /**
   * Ends all invitations into a session of the caller, with the visits of the guests. Returns
   * their number.
   * @throws NotFound
   */
  async revokeAll(session: string, actor: Actor): Promise<number> {
    const { db, bus } = this.options;
    const count = await transact(db, async (tx) => {
      const owned = await ownedBy(tx, session, actor, true);
      const ended = await endOfSession(tx, owned.id, 'invitation_ended');
      await this.writeEnded(tx, ended, actor);
      return ended.length;
    });
    await bus.publish(GUESTS_CHANNEL, session);
    return count;
  }

  /**
   * Returns the rights that an accepted invitation currently gives.
   * @throws AppError if it gives none
   */
  async find(invitation: string, userId: string) {
    this.assertAllowed();
    const row = isUuid(invitation) ? await invitationById(this.options.db, invitation) : undefined;
    if (!row || row.guestId !== userId) throw new NotFound('invitation_unknown');
    if (row.isEnded)
      throw new NotFound(
        row.endReason === 'invitation_ended' ? 'invitation_ended' : 'invitation_unknown',
      );
    if (row.isExpired) throw new NotFound('invitation_expired');
    return { session: row.id, mayType: row.mayType, validUntil: row.validUntil };
  }

  /** Stores an event of a guest. */
  async writeEvent(tx: Tx, event: GuestEvent): Promise<void> {
    const { what, date } = event;
    if (what === 'ended')
      await this.writeEnded(tx, await endInvitation(tx, event.invitation, event.reason, date));
    else if (what === 'over')
      await this.writeEnded(tx, await endOfSession(tx, event.session, 'session_finished', date));
    else await noteVisit(tx, event.invitation, date, event);
  }

  /** Ends expired invitations, and those that a crashed server left open. */
  endOverdue(): Promise<void> {
    return transact(this.options.db, async (tx) => this.writeEnded(tx, await endOverdue(tx)));
  }

  /** @throws NotFound, Forbidden */
  private async assertGranted(row: InvitationRow | undefined, origin: GuestOrigin): Promise<void> {
    if (!row || row.isEnded) throw new NotFound('invitation_unknown');
    const { assetId, systemUserId, targetKind } = row;
    const refusal = await this.options.refusalOf(origin, assetId, systemUserId, targetKind);
    if (refusal?.code === 'connect_denied') throw new NotFound('invitation_unknown');
    // A condition of an own permission: its holder knows asset and account.
    if (refusal) throw new Forbidden(refusal.code, refusal.params);
  }

  private assertAllowed(): void {
    if (!this.isAllowed()) throw new Forbidden('invitation_off');
  }

  private async rowsOf(session: string, zone: string, only?: string): Promise<SessionInvitation[]> {
    const moment = (date: Date | null) => date && formatDatetime(date, zone);
    return (await invitationsOf(this.options.db, session, only)).map((row) => ({
      ...row,
      date_created: moment(row.date_created) ?? '',
      date_expired: moment(row.date_expired),
      date_accepted: moment(row.date_accepted),
      date_joined: moment(row.date_joined),
      date_left: moment(row.date_left),
      date_ended: moment(row.date_ended),
    }));
  }

  /** Changes an open invitation into a session of the caller. @throws NotFound */
  private async change(
    session: string,
    invitation: string,
    actor: Actor,
    work: (tx: Tx, session: OwnSession) => Promise<void>,
  ): Promise<void> {
    const { db, bus } = this.options;
    await transact(db, async (tx) => {
      const owned = await ownedBy(tx, session, actor, true);
      const row = isUuid(invitation) ? await invitationById(tx, invitation) : undefined;
      if (row?.id !== owned.id || row.isEnded || row.isExpired)
        throw new NotFound('invitation_unknown');
      await work(tx, owned);
    });
    await bus.publish(GUESTS_CHANNEL, session);
  }
}
