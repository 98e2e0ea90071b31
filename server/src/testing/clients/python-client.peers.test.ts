import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { requirePeers } from '../peers.ts';
import { bearer } from '../sign-in.ts';
import { startTestProgram } from '../test-program.ts';
import { generateClients } from './generate-clients.ts';

requirePeers('python3');

it('writes a client in Python that creates, finds and deletes an object', async () => {
  const test = await startTestProgram();
  const admin = await bearer(test);
  const clients = await generateClients(admin);
  try {
    const program = `import json, sys
from sallyport import ApiError, Sallyport
api = Sallyport(sys.argv[1], json.loads(sys.argv[2]))
made = api.postAssetsLabels({"name": "by client", "value": "python"})
listed = api.getAssetsLabels(search="by client")
api.deleteAssetsLabelsId(made["id"])
try:
    api.getAssetsLabelsId(made["id"])
except ApiError as error:
    print(json.dumps([made["value"], made["id"] in json.dumps(listed), error.status]))`;
    const words = ['-c', program, clients.site, JSON.stringify(admin.headers)];
    const { stdout } = await promisify(execFile)('python3', words, { cwd: clients.folder });
    expect(JSON.parse(stdout)).toEqual(['python', true, 404]);
  } finally {
    await test.stop();
    await clients.remove();
  }
});
