import type { SessionGuest } from '@sallyport/contract';
import { MAX_GUESTS, TYPING_MS } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import type { NewSession } from '../../ports/records.ts';
import { Refusal } from '../../refusal.ts';
import type { GuestClient } from '../session-client.ts';

/** A user invited into a session by its owner. */
export class Guest {
  readonly invitation: string;
  readonly person: Person;
  readonly client: GuestClient;
  /** True if the invitation currently allows typing. */
  types = false;

  constructor(invitation: string, person: Person, client: GuestClient) {
    this.invitation = invitation;
    this.person = person;
    this.client = client;
  }
}

export interface GuestEvents {
  /** The guest list for the owner has changed. */
  readonly changed: (guests: readonly SessionGuest[]) => void;
  /** Adds a marker to the recording. */
  readonly note: (label: string) => void;
  /** Returns true if input of the user passes while the second person watches. */
  readonly passes: (userId: string) => boolean;
}

/** Catches a guest up, and lets the guest leave; false if a newer window has replaced this one. */
export interface GuestPlace {
  readonly snapshot: () => Buffer;
  readonly stop: () => boolean;
}

/** The guests of one session: present users, their right to type, and the last typist. */
export class Guests {
  private readonly present = new Set<Guest>();
  private readonly events: GuestEvents;
  /** All guests who ever typed: a pending line may still contain their keys. */
  private readonly typists = new Map<string, Person>();
  /** Guests may not type while the owner is away and cannot see it. */
  private isPaused = false;
  private typing: Guest | undefined;
  private typedAt = 0;
  private quiet: NodeJS.Timeout | undefined;
  private last: Guest | undefined;

  constructor(events: GuestEvents) {
    this.events = events;
  }

  get count(): number {
    return this.present.size;
  }

  /** The row of each user who ever typed in the session of a row, the owner first. */
  rows(row: NewSession): readonly [NewSession, ...NewSession[]] {
    return [row, ...this.everTyped.map((person) => ({ ...row, person }))];
  }

  /** The present guests, for the owner. */
  get list(): readonly SessionGuest[] {
    return [...this.present].map((guest) => ({
      invitation: guest.invitation,
      name: guest.person.display,
      types: guest.types,
      typing: guest === this.typing,
    }));
  }

  /** All guests who ever typed. The guard decides lines for them too. */
  get everTyped(): readonly Person[] {
    return [...this.typists.values()];
  }

  /**
   * Adds a guest. An invitation is valid in one window at a time; the older window is closed.
   * @throws Refusal when there are too many guests
   */
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

  /** Returns true if the guest may type now. */
  mayType(guest: Guest): boolean {
    return (
      guest.types &&
      !this.isPaused &&
      this.present.has(guest) &&
      this.events.passes(guest.person.userId)
    );
  }

  /** Suspends typing of guests while the owner is away. */
  pause(on: boolean): void {
    this.isPaused = on;
    for (const guest of this.present) if (guest.types) guest.client.mayType(!on);
  }

  /** Returns how an admitted guest catches up and leaves. */
  placeOf(
    guest: Guest,
    { stop, snapshot }: { readonly stop: () => void; readonly snapshot: () => Buffer },
    forget: () => void,
  ): GuestPlace {
    return {
      snapshot,
      stop: () => {
        stop();
        guest.types = false;
        forget();
        return this.remove(guest);
      },
    };
  }

  /** Removes a guest. Returns false if a newer window has replaced this one. */
  remove(guest: Guest): boolean {
    if (!this.present.delete(guest)) return false;
    if (this.typing === guest) this.typing = undefined;
    this.events.note(`guest left: ${guest.person.display}`);
    this.tell();
    return true;
  }

  /** Allows a guest to type, or forbids it. */
  allow(guest: Guest, on: boolean): void {
    if (guest.types === on) return;
    guest.types = on;
    if (!this.present.has(guest)) return;
    guest.client.mayType(this.mayType(guest));
    this.events.note(`guest ${on ? 'may type' : 'may watch'}: ${guest.person.display}`);
    this.tell();
  }

  /**
   * Records who types, the owner if `guest` is undefined. Adds a marker whenever the typist
   * changes.
   */
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

  /** Pauses or resumes reading from all guests. */
  holdInput(on: boolean): void {
    for (const { client } of this.present) client.holdInput(on);
  }

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
