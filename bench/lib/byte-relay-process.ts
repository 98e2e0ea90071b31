// Run by byte-relay.ts: passes bytes between its clients and a port, until its input ends.
import { connect, createServer } from 'node:net';

const options = { port: Number(process.argv[2]), host: '127.0.0.1', noDelay: true };
const server = createServer({ noDelay: true }, (client) => {
  const target = connect(options);
  client.pipe(target).pipe(client);
  for (const [socket, other] of [
    [client, target],
    [target, client],
  ] as const)
    socket.on('error', () => other.destroy());
});
server.listen(0, '127.0.0.1', () => process.stdout.write(JSON.stringify(server.address())));
process.stdin.on('end', () => process.exit()).resume();
