import { defineCounter } from '../../platform/metrics/open-metrics.ts';
import type { SecretCounts, SecretKind } from '../../platform/secrets/formats.ts';
import { maskText } from '../../platform/secrets/mask-text.ts';
import { OutputMask } from '../../platform/secrets/output-mask.ts';
import type { GatewayPorts, Login } from '../ports.ts';

const marks = defineCounter(
  'sallyport_masked_secrets_total',
  'Secrets that this server masked in recordings, by kind.',
);

/** Lengths at which the log cuts; one less if a pair of surrogates was at the end. */
const MAX_INPUT = 4096;
const MAX_OUTPUT = 1024;

export interface CapturedOutput {
  push(output: Buffer): void;
  /** Calls `event` after the output so far, with the time of this call. */
  after(event: (at: number) => void): void;
  /** Sets the width of the terminal. */
  resize(cols: number): void;
  /** Passes on everything now. */
  flush(): void;
}

interface OutputOptions {
  /** Width of the terminal; 0 if lines are not wrapped. */
  readonly cols: number;
  readonly now: () => number;
  readonly onOutput: (output: Buffer, at: number) => void;
}

/**
 * Captures one session for its recording, its watchers and the log: without secrets, if the setting
 * says so. The screen of the user does not pass through here.
 */
export class Capture {
  readonly counts: SecretCounts = {};
  readonly isMasked: boolean;
  private readonly known: readonly string[];

  /** `login` is the account of the session: its secret is masked wherever it appears. */
  constructor(
    isMasked: boolean,
    login?: Pick<Login, 'username' | 'password' | 'passphrase' | 'switchTo'>,
  ) {
    this.isMasked = isMasked;
    // A password that is the username would mask each prompt.
    this.known = [login?.password, login?.passphrase, login?.switchTo?.password].filter(
      (secret) => secret !== undefined && secret !== login?.username,
    ) as string[];
  }

  /** Captures output that arrives in pieces. */
  output(options: OutputOptions): CapturedOutput {
    if (this.isMasked)
      return new OutputMask({ ...options, known: this.known, onMask: (kind) => this.count(kind) });
    const { now, onOutput } = options;
    return {
      push: (output) => onOutput(output, now()),
      after: (event) => event(now()),
      resize: () => undefined,
      flush: () => undefined,
    };
  }

  /** Captures a complete text that is drawn into a recording; see `text` for `isCut`. */
  drawn(text: string, isCut = false): string {
    return this.isMasked
      ? maskText(text, { known: this.known, onMask: (kind) => this.count(kind), isCut })
      : text;
  }

  /**
   * Captures a text of the command log. Its secrets are counted where they were drawn. If the text
   * was cut, this masks an end that may begin a secret.
   */
  readonly text = (text: string, isCut = false): string =>
    this.isMasked ? maskText(text, { known: this.known, isCut }) : text;

  /**
   * The ports of the session: commands for the log and for reviewers are captured, and its end has
   * the counts.
   */
  ports(ports: GatewayPorts): GatewayPorts {
    const { sessions, holds } = ports;
    const { text } = this;
    if (!this.isMasked) return ports;
    return {
      ...ports,
      sessions: {
        ...sessions,
        addCommands: (id, commands) =>
          sessions.addCommands(
            id,
            commands.map((command) => ({
              ...command,
              input: text(command.input, command.input.length >= MAX_INPUT - 1),
              output: text(command.output, command.output.length >= MAX_OUTPUT - 1),
              ...(command.error !== undefined && { error: text(command.error) }),
            })),
          ),
        finish: (id, end) => sessions.finish(id, { ...end, maskedSecrets: this.counts }),
      },
      ...(holds && {
        holds: {
          decide: ({ screen, ...held }, signal) =>
            holds.decide(
              {
                ...held,
                text: text(held.text),
                ...(screen !== undefined && { screen: text(screen) }),
              },
              signal,
            ),
        },
      }),
    };
  }

  /** Counts a masked secret. */
  count(kind: SecretKind): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    marks.add({ kind });
  }
}
