import type { NewSession } from '../../ports/records.ts';
import type { GatewayPorts } from '../../ports.ts';
import type { CommandTracker } from './commands/tracker.ts';
import type { Keyboard } from './gated-terminal.ts';
import { LineGate } from './line-gate.ts';

interface SessionGate {
  readonly ports: GatewayPorts;
  readonly sessions: () => readonly [NewSession, ...NewSession[]];
  readonly tracker: CommandTracker;
  readonly keyboard: Keyboard;
  readonly onFailure: () => void;
}

/** Creates the gate of a terminal session; undefined without a guard. */
export function createGate({ tracker, ...parts }: SessionGate): LineGate | undefined {
  const { guard } = parts.ports;
  return guard && new LineGate({ ...parts, guard, prompt: tracker.prompt });
}
