import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../client.ts';
import { bearer } from '../sign-in.ts';
import { startTestProgram, type TestProgram } from '../test-program.ts';
import { type GeneratedClients, generateClients } from './generate-clients.ts';

const run = promisify(execFile);
const PACKAGES = resolve(import.meta.dirname, '../../../../node_modules');
const FLAGS = '--noEmit --strict --allowImportingTsExtensions --module nodenext --target esnext';

let test: TestProgram;
let admin: Client;
let clients: GeneratedClients;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  clients = await generateClients(admin);
});
afterAll(async () => {
  await test.stop();
  await clients.remove();
});

/** Compiles a program that uses the client. Returns the errors of the compiler. */
async function compile(name: string, code: string): Promise<string> {
  const file = join(clients.folder, name);
  await writeFile(file, `import { ApiError, Sallyport } from './sallyport.ts';\n${code}`);
  const types = ['--types', 'node', '--typeRoots', join(PACKAGES, '@types')];
  const words = [...FLAGS.split(' '), ...types, file];
  return run(join(PACKAGES, '.bin/tsc'), words).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

it('writes a client in TypeScript whose types hold and whose calls work', async () => {
  const [site, headers] = [clients.site, admin.headers].map((one) => JSON.stringify(one));
  const errors = await compile(
    'use.ts',
    `const api = new Sallyport(${site}, ${headers});
const [made] = [await api.postAssetsLabels({ name: 'by client', value: 'typescript' })].flat();
const list = await api.getAssetsLabels({ search: 'by client' });
await api.deleteAssetsLabelsId(made.id);
const status = await api.getAssetsLabelsId(made.id).catch((error: ApiError) => error.status);
process.stdout.write(JSON.stringify([made.value, JSON.stringify(list).includes(made.id), status]));`,
  );
  expect(errors).toBe('');
  const { stdout } = await run(process.execPath, [join(clients.folder, 'use.ts')]);
  expect(JSON.parse(stdout)).toEqual(['typescript', true, 404]);
});

it('has types that reject a wrong field and an unknown operation', async () => {
  const errors = await compile(
    'wrong.ts',
    `const api = new Sallyport('http://127.0.0.1', {});
await api.postAssetsLabels({ name: 7 as number, value: 'x' });
await api.postAssetsNothing({});`,
  );
  expect(errors).toContain("Type 'number' is not assignable to type 'string'");
  expect(errors).toContain("Property 'postAssetsNothing' does not exist");
});
