// Run by byte-relay.ts: the least program between clients of a database and its server that keeps
// a durable log. It passes bytes, and syncs those of a statement before it passes the answer.
// Statements that arrive during a sync share the next one. It reads, checks, masks and records
// nothing. Arguments: port of the server, path of the log.
import { constants, openSync, write, writeSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

const [, , port, path = ''] = process.argv;
const LOG_BYTES = 16 * 1024 * 1024;
const { O_WRONLY, O_CREAT, O_TRUNC, O_DSYNC } = constants;
const log = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_DSYNC, 0o600);
// The file has its size from the start: a sync of a file that grows takes longer.
writeSync(log, Buffer.alloc(LOG_BYTES), 0, LOG_BYTES, 0);

let end = 0;
let isSyncing = false;
let unsynced: Buffer[] = [];
let answers: (() => void)[] = [];

function sync(): void {
  const [bytes, answered] = [Buffer.concat(unsynced), answers];
  isSyncing = true;
  unsynced = [];
  answers = [];
  if (end + bytes.length > LOG_BYTES) end = 0;
  write(log, bytes, 0, bytes.length, end, (error) => {
    if (error) throw error;
    end += bytes.length;
    isSyncing = false;
    if (answers.length > 0) sync();
    for (const pass of answered) pass();
  });
}

function relay(client: Socket): void {
  const target = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  let statement: Buffer | undefined;
  client.on('data', (chunk: Buffer) => {
    statement = statement ? Buffer.concat([statement, chunk]) : chunk;
    target.write(chunk);
  });
  target.on('data', (answer: Buffer) => {
    if (!statement) {
      client.write(answer);
      return;
    }
    unsynced.push(statement);
    statement = undefined;
    target.pause();
    answers.push(() => {
      client.write(answer);
      target.resume();
    });
    if (!isSyncing) sync();
  });
  for (const [socket, other] of [
    [client, target],
    [target, client],
  ] as const) {
    socket.on('error', () => other.destroy());
    socket.on('end', () => other.end());
  }
}

const server = createServer({ noDelay: true }, relay);
server.listen(0, '127.0.0.1', () => process.stdout.write(JSON.stringify(server.address())));
process.stdin.on('end', () => process.exit()).resume();
