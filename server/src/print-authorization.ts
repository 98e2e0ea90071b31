// Starts the program in a temporary folder, prints the authorization matrix after a mark, and
// stops. Used by `node scripts/authorization.mjs`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from './config.ts';
import { sshAuthorization } from './gateway/listeners/ssh/requests.ts';
import { authorizationDocument } from './http/authorization-matrix.ts';
import { createLog } from './platform/log.ts';
import { startProgram } from './program.ts';

const dataDirectory = await mkdtemp(join(tmpdir(), 'sallyport-authorization-'));
try {
  const program = await startProgram(
    { ...readConfig({ SALLYPORT_PROCESSES: '1' }), dataDirectory, httpPort: 0, sshPort: 0 },
    createLog('silent'),
  );
  const text = `${authorizationDocument(program.app.routes)}${sshAuthorization()}`;
  await program.stop();
  process.stdout.write(`${process.argv[2] ?? ''}${text}`);
} finally {
  await rm(dataDirectory, { recursive: true, force: true });
}
