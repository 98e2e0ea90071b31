/** Exit statuses, which scripts may test. Programs that sallyctl starts keep their own. */
export const STATUS = {
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  refused: 4,
  notFound: 5,
  unreachable: 6,
} as const;

/** Ends the command with a sentence and a status. */
export class Failure extends Error {
  readonly status: number;

  constructor(text: string, status: number = STATUS.failed) {
    super(text);
    this.status = status;
  }
}
