/** A terminal session of a recorded folder. */
export interface RecordedSession {
  readonly id: string;
  /** The lines as the target echoed them, in order. An `echo` answers with its words. */
  readonly commands: readonly string[];
}

/** A session of the file manager with one upload. */
export interface RecordedTransfer {
  readonly id: string;
  readonly name: string;
}

/** Contents of a recorded data folder, as seen by the client that created it. */
export interface RecordedFacts {
  readonly commit: string;
  readonly admin: { readonly username: string; readonly password: string };
  readonly member: { readonly username: string; readonly password: string };
  /**
   * Secrets sealed in the folder. They are useless elsewhere: the servers existed for the recording
   * only.
   */
  readonly systemUsers: readonly {
    readonly id: string;
    readonly password: string;
    readonly private_key: string;
  }[];
  readonly sessions: readonly RecordedSession[];
  /** Absent in older folders. */
  readonly transfers?: readonly RecordedTransfer[];
}
