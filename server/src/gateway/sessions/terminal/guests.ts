import type { SessionGuest } from '@sallyport/contract';
import { MAX_GUESTS, TYPING_MS } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import { Refusal } from '../../refusal.ts';
import type { GuestClient } from '../session-client.ts';

/** Somebody who was invited into a session, and is in it. */
export class Guest {
  readonly invitation: string;
  readonly person: Person;
  readonly client: GuestClient;
  /** Whether the invitation allows to type now. */
  types = false;

  constructor(invitation: string, person: Person, client: GuestClient) {
    this.invitation = invitation;
    this.person = person;
    this.client = client;
  }
}

/** What the guests of a session report. */
export interface GuestEvents {
  /** The list for the owner has changed. */
  readonly changed: (guests: readonly SessionGuest[]) => void;
  /** A note for the recording. */
  readonly note: (label: string) => void;
}

/** The guests of one session: who they are, who may type, and who typed last. */
export class Guests {
  private readonly present = new Set<Guest>();
  private readonly events: GuestEvents;
  /** Everybody who ever typed here as a guest: what they typed may still be in a line. */
  private readonly typists = new Map<string, Person>();
  /** Nobody may type while the person of the session is away: nobody would see it. */
  private isPaused = false;
  private typing: Guest | undefined;
  private typedAt = 0;
  private quiet: NodeJS.Timeout | undefined;
  private last: Guest | undefined;

  constructor(events: GuestEvents) {
    this.events = events;
  }

  /** How many are here. */
  get count(): number {
    return this.present.size;
  }

  /** Who is here, for the owner. */
  get list(): readonly SessionGuest[] {
    return [...this.present].map((guest) => ({
      invitation: guest.invitation,
      name: guest.person.display,
      types: guest.types,
      typing: guest === this.typing,
    }));
  }

  /** Everybody who typed here as a guest, for whom lines have to be decided as well. */
  get everTyped(): readonly Person[] {
    return [...this.typists.values()];
  }

  /** Lets somebody in. The same invitation is used in one window at a time. @throws Refusal */
  add(guest: Guest): void {
    const before = [...this.present].find(({ invitation }) => invitation === guest.invitation);
    if (before) before.client.closed({ code: 'session_moved' });
    else if (this.present.size >= MAX_GUESTS) throw new Refusal('watch_limit');
    if (before) this.present.delete(before);
    this.present.add(guest);
    guest.client.mayType(this.mayType(guest));
    if (!before) this.events.note(`guest joined: ${guest.person.display}`);
    this.tell();
  }

  /** Whether somebody may type at this moment. */
  mayType(guest: Guest): boolean {
    return guest.types && !this.isPaused && this.present.has(guest);
  }

  /** The person of the session is away, or back. */
  pause(on: boolean): void {
    this.isPaused = on;
    for (const guest of this.present) if (guest.types) guest.client.mayType(!on);
  }

  /** Somebody is gone; false when a newer window of theirs is here instead. */
  remove(guest: Guest): boolean {
    if (!this.present.delete(guest)) return false;
    if (this.typing === guest) this.typing = undefined;
    this.events.note(`guest left: ${guest.person.display}`);
    this.tell();
    return true;
  }

  /** Allows somebody to type, or takes it away. */
  allow(guest: Guest, on: boolean): void {
    if (guest.types === on) return;
    guest.types = on;
    if (!this.present.has(guest)) return;
    guest.client.mayType(this.mayType(guest));
    this.events.note(`guest ${on ? 'may type' : 'may watch'}: ${guest.person.display}`);
    this.tell();
  }

  /** Somebody types, a guest or the owner: the recording says who, each time it is somebody else. */
  typed(guest: Guest | undefined, owner: string): void {
    if (guest !== this.last) this.events.note(`typing: ${guest?.person.display ?? owner}`);
    this.last = guest;
    if (guest) {
      this.typists.set(guest.person.userId, guest.person);
      this.typedAt = performance.now();
      this.quiet ??= setTimeout(() => this.silence(), TYPING_MS);
    }
    if (guest === this.typing || (!guest && this.typing === undefined)) return;
    this.typing = guest;
    this.tell();
  }

  /** Stops reading from everybody who types, or goes on. */
  holdInput(on: boolean): void {
    for (const { client } of this.present) client.holdInput(on);
  }

  /** The session is over. */
  stop(): void {
    clearTimeout(this.quiet);
    this.present.clear();
  }

  private silence(): void {
    const left = TYPING_MS - (performance.now() - this.typedAt);
    this.quiet = left > 0 && this.typing ? setTimeout(() => this.silence(), left) : undefined;
    if (this.quiet || !this.typing) return;
    this.typing = undefined;
    this.tell();
  }

  private tell(): void {
    this.events.changed(this.list);
  }
}
