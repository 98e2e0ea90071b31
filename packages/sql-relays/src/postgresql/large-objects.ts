import { BodyReader } from '../byte-reader.ts';
import type { FileTransfer, StatementJournal } from '../journal.ts';

/** Function ids of large objects, equal in every PostgreSQL (pg_proc.dat). */
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
/** Calls that occur by the thousand per object. Their bytes are in the file-transfer log. */
const QUIET: ReadonlySet<string> = new Set([
  'loread',
  'lowrite',
  'lo_lseek',
  'lo_lseek64',
  'lo_tell',
  'lo_tell64',
  'lo_close',
]);
/** Maximum open large objects per session. */
const MAX_OPEN = 1000;

/** A client's call of a function by id. */
export interface FunctionCall {
  /** The call as an SQL statement. */
  readonly statement: string;
  readonly name: string;
  /** First argument: an object id, or the descriptor of an open object. */
  readonly first: number;
  readonly writtenBytes: number;
}

/**
 * Parses a FunctionCall; undefined for functions other than those of large objects. @throws
 * ProtocolViolation
 */
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
  const logged =
    name === 'lowrite' ? [numbers[0], `/* ${values[1]?.length ?? 0} bytes */`] : numbers;
  return {
    statement: `SELECT ${name}(${logged.join(', ')})`,
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

/** The large objects of one session: checks rights and logs files. */
export class LargeObjects {
  private readonly journal: StatementJournal;
  private readonly open = new Map<number, OpenObject>();

  constructor(journal: StatementJournal) {
    this.journal = journal;
  }

  /** Decides on a call. Returns the refusal, if any. */
  async refusalOf({ statement, name }: FunctionCall): Promise<string | undefined> {
    const { journal } = this;
    if (name === 'lowrite' && !journal.mayUpload())
      return journal.refuseTransfer('upload', statement, statement);
    if (name === 'loread' && !journal.mayDownload())
      return journal.refuseTransfer('download', statement, statement);
    return (await journal.decide(Buffer.from(statement))).refusal;
  }

  /** Processes the answer to a call. Returns true if the command log should list the call. */
  answered({ name, first, writtenBytes }: FunctionCall, result: Buffer): boolean {
    if (name === 'lo_open' && this.open.size < MAX_OPEN)
      this.open.set(resultOf(result), { name: `large object ${first}` });
    else if (name === 'lo_close') this.close(first);
    else if (name === 'lowrite') this.moved(first, 'upload', writtenBytes);
    else if (name === 'loread') this.moved(first, 'download', Math.max(0, result.length - 4));
    return !QUIET.has(name);
  }

  /** Closes all objects at the end of their transaction. */
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

/** Returns the number in a FunctionCallResponse, which starts with the length of the result. */
function resultOf(body: Buffer): number {
  if (body.length < 8) return -1;
  return numberOf(body.subarray(4), true);
}
