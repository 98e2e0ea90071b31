import { BodyReader } from '../../../protocols/body-reader.ts';
import type { FileTransfer } from '../../../sessions/file-transfers.ts';
import type { StatementJournal } from '../journal.ts';

/** The functions of large objects by their numbers, which are the same in every PostgreSQL (its pg_proc.dat). */
const FUNCTIONS: ReadonlyMap<number, string> = new Map([
  [715, 'lo_create'],
  [952, 'lo_open'],
  [953, 'lo_close'],
  [954, 'loread'],
  [955, 'lowrite'],
  [956, 'lo_lseek'],
  [957, 'lo_creat'],
  [958, 'lo_tell'],
  [964, 'lo_unlink'],
  [1004, 'lo_truncate'],
  [3170, 'lo_lseek64'],
  [3171, 'lo_tell64'],
  [3172, 'lo_truncate64'],
]);
/** Calls that come by the thousand for one object. Their bytes are in the file-transfer log. */
const QUIET: ReadonlySet<string> = new Set([
  'loread',
  'lowrite',
  'lo_lseek',
  'lo_lseek64',
  'lo_tell',
  'lo_tell64',
  'lo_close',
]);
/** Large objects that one session may have open. */
const MAX_OPEN = 1000;

/** A call of a function by its number, which a client has sent. */
export interface FunctionCall {
  /** The call as a statement. */
  readonly statement: string;
  readonly name: string;
  /** The first argument: the number of an object, or the descriptor of an open one. */
  readonly first: number;
  readonly writtenBytes: number;
}

/** Reads a FunctionCall; undefined if it calls anything else than a function of large objects. @throws ProtocolViolation */
export function readCall(body: Buffer): FunctionCall | undefined {
  const reader = new BodyReader(body);
  const name = FUNCTIONS.get(reader.int32());
  if (name === undefined) return undefined;
  const formats = Array.from({ length: reader.uint16() }, () => reader.uint16());
  const values = Array.from({ length: reader.uint16() }, () => {
    const length = reader.int32();
    return length < 0 ? Buffer.alloc(0) : reader.bytes(length);
  });
  const numbers = values.map((value, at) =>
    numberOf(value, (formats[at] ?? formats[0] ?? 0) === 1),
  );
  const shown =
    name === 'lowrite' ? [numbers[0], `/* ${values[1]?.length ?? 0} bytes */`] : numbers;
  return {
    statement: `SELECT ${name}(${shown.join(', ')})`,
    name,
    first: numbers[0] ?? 0,
    writtenBytes: name === 'lowrite' ? (values[1]?.length ?? 0) : 0,
  };
}

function numberOf(value: Buffer, isBinary: boolean): number {
  if (!isBinary) return Number(value.toString('latin1', 0, 20));
  if (value.length === 8) return Number(value.readBigInt64BE());
  return value.length === 4 ? value.readInt32BE() : 0;
}

interface OpenObject {
  readonly name: string;
  upload?: FileTransfer;
  download?: FileTransfer;
}

/** The large objects of one session: their rights, and their entries in the log of files. */
export class LargeObjects {
  private readonly journal: StatementJournal;
  private readonly open = new Map<number, OpenObject>();

  constructor(journal: StatementJournal) {
    this.journal = journal;
  }

  /** Returns why a call is refused. */
  async refusalOf({ statement, name }: FunctionCall): Promise<string | undefined> {
    const { journal } = this;
    if (name === 'lowrite' && !journal.mayUpload())
      return journal.refuseTransfer('upload', statement, statement);
    if (name === 'loread' && !journal.mayDownload())
      return journal.refuseTransfer('download', statement, statement);
    return (await journal.decide(Buffer.from(statement))).refusal;
  }

  /** The server has answered a call. Returns true if the call is a command of its own in the log. */
  answered({ name, first, writtenBytes }: FunctionCall, result: Buffer): boolean {
    if (name === 'lo_open' && this.open.size < MAX_OPEN)
      this.open.set(resultOf(result), { name: `large object ${first}` });
    else if (name === 'lo_close') this.close(first);
    else if (name === 'lowrite') this.moved(first, 'upload', writtenBytes);
    else if (name === 'loread') this.moved(first, 'download', Math.max(0, result.length - 4));
    return !QUIET.has(name);
  }

  /** The transaction has ended, and closed its objects with it. */
  closeAll(): void {
    for (const descriptor of [...this.open.keys()]) this.close(descriptor);
  }

  private moved(descriptor: number, operation: 'upload' | 'download', bytes: number): void {
    const object = this.open.get(descriptor) ?? { name: 'large object' };
    this.open.set(descriptor, object);
    object[operation] ??= this.journal.transfer(operation, object.name);
    object[operation].add(bytes);
  }

  private close(descriptor: number): void {
    const object = this.open.get(descriptor);
    this.open.delete(descriptor);
    object?.upload?.end();
    object?.download?.end();
  }
}

/** The number in a FunctionCallResponse, which has the length of the result first. */
function resultOf(body: Buffer): number {
  if (body.length < 8) return -1;
  return numberOf(body.subarray(4), true);
}
