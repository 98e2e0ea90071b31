/** An open shell at a target, whatever protocol leads there. Bytes are in the charset of the target. */
export interface TargetShell {
  /** Takes what the person typed. */
  write(chunk: Buffer): void;
  /** Bytes that were taken and that the target has not read yet. */
  readonly waiting: number;
  resize(cols: number, rows: number): void;
  /** Stops reading from the target; it notices and waits. */
  pause(): void;
  resume(): void;
  /** Ends the shell and everything that was opened to reach it. Harmless when it has ended already. */
  close(): void;
}

/** What a target shell reports. */
export interface TargetEvents {
  onData(chunk: Buffer): void;
  /** Once, at the end. `lost` when the connection broke instead of ending. */
  onEnd(how: 'closed' | 'lost'): void;
}
