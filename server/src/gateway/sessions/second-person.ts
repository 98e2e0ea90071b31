import type { Problem } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import type { Viewer } from '../ports/people.ts';
import type { NewSession, PresenceEvent } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';
import type { Watcher } from './session-client.ts';

interface Candidate {
  readonly viewer: Viewer;
  /** Number of the latest check: late answers of earlier ones are dropped. */
  checks: number;
  /** The name of a reviewer; undefined for other watchers. */
  name: string | undefined;
}

interface SecondPersonEvents {
  /** Input stops, or passes again if `isOver`. */
  readonly changed: (problem: Problem, isOver: boolean) => void;
  readonly happened: (event: PresenceEvent) => void;
}

/** The watchers of a session who may be its second person. Input waits until one is. */
export class SecondPerson {
  private readonly session: NewSession;
  private readonly ports: GatewayPorts;
  private readonly events: SecondPersonEvents;
  private readonly watchers = new Map<Watcher, Candidate>();
  private ruleIds: readonly string[] | undefined;
  private reason: Problem | undefined;

  constructor(session: NewSession, ports: GatewayPorts, events: SecondPersonEvents) {
    this.session = session;
    this.ports = ports;
    this.events = events;
    this.ruleIds = session.grant.secondPerson?.ruleIds;
    if (this.ruleIds) this.reason = { code: 'second_person_awaited' };
  }

  /** The reason for which input does not pass; undefined if it passes. */
  get hold(): Problem | undefined {
    return this.reason;
  }

  /** Returns true if a reviewer other than the typist watches, or none is needed. */
  passes(typist: string): boolean {
    if (!this.ruleIds) return true;
    return this.present.some(({ viewer }) => viewer.userId !== typist);
  }

  /** Returns true if the session waits for the reviewers of all these permissions. */
  covers(ruleIds: readonly string[]): boolean {
    return ruleIds.every((rule) => this.ruleIds?.includes(rule));
  }

  /** Reports a session that waits from its beginning. */
  begin(): void {
    if (this.reason) this.stopped(this.reason);
  }

  /** Applies the permissions of a changed grant. */
  demand(ruleIds: readonly string[] | undefined): void {
    const before = this.ruleIds;
    this.ruleIds = ruleIds;
    if (before?.join() === ruleIds?.join()) return;
    if (!ruleIds) {
      for (const candidate of this.watchers.values()) candidate.name = undefined;
      this.pass({ code: 'second_person_free' });
      return;
    }
    if (!before) this.stop({ code: 'second_person_awaited' });
    // A right that cannot be confirmed counts as lost.
    for (const watcher of this.watchers.keys())
      this.check(watcher).catch(() => this.settle(watcher, undefined));
  }

  /** Adds a watcher. The caller checks it next. */
  enter(watcher: Watcher, viewer: Viewer): void {
    this.watchers.set(watcher, { viewer, checks: 0, name: undefined });
  }

  /** Checks whether a watcher may be the second person now. */
  async check(watcher: Watcher): Promise<void> {
    const candidate = this.watchers.get(watcher);
    if (!candidate || !this.ruleIds) return;
    candidate.checks += 1;
    const { checks } = candidate;
    const { ruleIds } = this;
    const name = await this.ports.secondPersons?.find(candidate.viewer, this.session, ruleIds);
    if (candidate.checks === checks && this.ruleIds) this.settle(watcher, name);
  }

  leave(watcher: Watcher): void {
    this.settle(watcher, undefined);
    this.watchers.delete(watcher);
  }

  private get present(): readonly Candidate[] {
    return [...this.watchers.values()].filter(({ name }) => name !== undefined);
  }

  private settle(watcher: Watcher, name: string | undefined): void {
    const candidate = this.watchers.get(watcher);
    const before = candidate?.name;
    if (!candidate || (before === undefined) === (name === undefined)) return;
    candidate.name = name;
    if (name !== undefined) {
      this.note('joined', name);
      this.pass({ code: 'second_person_watches', params: { who: name } });
      return;
    }
    this.note('left', before);
    if (this.present.length === 0)
      this.stop({ code: 'second_person_left', params: { who: before ?? '' } });
  }

  private stop(problem: Problem): void {
    this.reason = problem;
    this.stopped(problem);
  }

  private stopped(problem: Problem): void {
    this.note('waits');
    this.events.changed(problem, false);
    this.tell().catch((err: unknown) =>
      this.ports.log.error({ session: this.session.id, err }, 'the reviewers were not notified'),
    );
  }

  private async tell(): Promise<void> {
    await this.ports.secondPersons?.tell(this.session, this.ruleIds ?? []);
  }

  private pass(problem: Problem): void {
    if (!this.reason) return;
    this.reason = undefined;
    this.note('passes');
    this.events.changed(problem, true);
  }

  private note(event: PresenceEvent['event'], name = ''): void {
    this.events.happened({ event, name, date: databaseClock.date() });
  }
}
