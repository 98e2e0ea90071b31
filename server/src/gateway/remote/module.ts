import type { RemoteCode } from './words.ts';

/** Platforms of hosts. */
export type RemotePlatform = 'Linux' | 'Unix' | 'MacOS' | 'BSD' | 'Windows' | 'Other';

/** A unit of work for hosts: a constant script with its input and output. */
export interface RemoteModule<Input, Result> {
  readonly name: string;
  /**
   * Constant script for `/bin/sh`. Values are never inserted: the script reads them from standard
   * input with `take`.
   */
  readonly script: string;
  /** `root`: runs as root, by the host's escalation. `account`: runs as the signed-in account. */
  readonly runsAs: 'root' | 'account';
  /**
   * The values in the order of the script's `take` calls. Validated before any host is contacted.
   * @throws Invalid with the wrong field
   */
  values(input: Input): readonly string[];
  /** `report`: the script prints changes and facts as lines. `output`: its output is the result. */
  readonly answer: 'report' | 'output';
  /** @throws RemoteRefusal if the answer is malformed */
  result(answer: ModuleAnswer): Result;
  /** The implementation for Windows. */
  readonly windows: WindowsPart<Input, Result>;
}

/**
 * A module's implementation on Windows: a constant PowerShell script with its own validation, or
 * the reason why it is unsupported.
 */
export type WindowsPart<Input, Result> =
  | {
      readonly script: string;
      /** Like `values` of the module. @throws Invalid with the wrong field */
      values(input: Input): readonly string[];
      /**
       * Set if the answer differs from that of `/bin/sh`.
       * @throws RemoteRefusal if it is malformed
       */
      result?(answer: ModuleAnswer): Result;
    }
  | { readonly refused: RemoteCode };

/**
 * The values of a module for a platform; none if the platform is unsupported.
 * @throws Invalid with the wrong field
 */
export function valuesFor<Input>(
  { values, windows }: RemoteModule<Input, unknown>,
  input: Input,
  platform: RemotePlatform,
): readonly string[] {
  if (platform !== 'Windows') return values(input);
  return 'refused' in windows ? [] : windows.values(input);
}

/** The size-limited answer of a host. */
export interface ModuleAnswer {
  /** `fact` lines of a report, in order. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Output of the account's program; empty for reports. */
  readonly output: string;
  readonly errors: string;
  /** True if output was cut. */
  readonly isCut: boolean;
  /** Exit status of the script; undefined if a signal ended it. */
  readonly status: number | undefined;
}

/** Declares a module and infers its types. */
export function remoteModule<Input, Result>(
  module: RemoteModule<Input, Result>,
): RemoteModule<Input, Result> {
  return module;
}
