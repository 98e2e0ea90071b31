import type { Problem } from '@sallyport/contract';
import type { Grant } from '../ports/grant.ts';
import type { NewSession } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';
import { SecondPerson } from './second-person.ts';

interface StopEvents {
  /** Input stops for a reason, or passes that reason if `isOver`. */
  readonly changed: (problem: Problem, isOver: boolean) => void;
  /** A change could not be recorded. */
  readonly failed: (error: unknown) => void;
}

/** The reasons for which the input of a session does not pass. Each ends alone. */
export class InputStops {
  readonly second: SecondPerson;
  private readonly changed: StopEvents['changed'];
  private locked: Problem | undefined;
  private isOver = false;

  constructor(row: NewSession, ports: GatewayPorts, { changed, failed }: StopEvents) {
    this.changed = (problem, isOver) => {
      if (this.isOver) return;
      changed(problem, isOver);
      const other = this.current;
      if (isOver && other) changed(other, false);
    };
    this.second = new SecondPerson(row, ports, {
      changed: this.changed,
      happened: (event) => {
        if (!this.isOver) ports.sessions.addPresence(row.id, event).catch(failed);
      },
    });
  }

  /** The reason for which input does not pass; undefined if it passes. */
  get current(): Problem | undefined {
    return this.locked ?? this.second.hold;
  }

  /** Locks the session for the reason `problem`, or unlocks it. */
  setLock(problem: Problem, isLocked: boolean): void {
    if (!isLocked && !this.locked) return;
    this.locked = isLocked ? problem : undefined;
    this.changed(problem, !isLocked);
  }

  /** Applies a checked grant. */
  granted({ secondPerson }: Grant): void {
    this.second.demand(secondPerson?.ruleIds);
  }

  /** The session has ended: nothing is reported any more. */
  end(): void {
    this.isOver = true;
  }
}
