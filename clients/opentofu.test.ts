import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { buildOrganization, buildUser } from '../server/src/testing/builders.ts';
import type { Json } from '../server/src/testing/client.ts';
import { COMMANDS } from '../server/src/testing/operator-command.ts';
import { notePeers } from '../server/src/testing/peers.ts';
import { bearer } from '../server/src/testing/sign-in.ts';
import { startTestProgram } from '../server/src/testing/test-program.ts';

const run = promisify(execFile);
const EXAMPLE = join(import.meta.dirname, '../packaging/opentofu/main.tf');

/** OpenTofu where it is installed, else Terraform, whose language it shares. */
const PROGRAM = spawnSync('tofu', ['version']).error ? 'terraform' : 'tofu';

it('applies a changed file of objects with the example for OpenTofu', async () => {
  const test = await startTestProgram();
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-tofu-'));
  try {
    const organization = await buildOrganization(test.db);
    const user = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
    const admin = (await bearer(test, user)).inOrganization(organization);
    const { body: key } = await admin.post<{ id: string; secret: string }>(
      'authentication/access-keys/',
      { password: user.password },
    );
    await cp(EXAMPLE, join(folder, 'main.tf'));
    await writeFile(join(folder, 'key'), `${key.id}:${key.secret}\n`, { mode: 0o600 });
    const command = join(folder, 'sallyport');
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${COMMANDS}' "$@"\n`, {
      mode: 0o755,
    });
    const environment = {
      PATH: process.env.PATH,
      HOME: folder,
      SALLYPORT_DATA_DIR: join(folder, 'data'),
      TF_IN_AUTOMATION: '1',
      TF_CLI_ARGS: '-no-color',
      TF_VAR_key_file: join(folder, 'key'),
      TF_VAR_server: test.visitor.url,
      TF_VAR_organization: organization,
      TF_VAR_command: command,
    };
    const tofu = async (...words: string[]) => {
      const { stdout } = await run(PROGRAM, words, { cwd: folder, env: environment });
      return stdout;
    };
    const { terraform_version: version } = JSON.parse(await tofu('version', '-json'));
    notePeers(`${PROGRAM} ${version}`);
    const groups = async () =>
      (await admin.get<Json[]>('users/groups/')).body.map(({ name, comment }) => [name, comment]);
    const writeObjects = (comment: string) =>
      writeFile(
        join(folder, 'objects.yaml'),
        `user_groups:\n  - name: Operators\n    comment: ${JSON.stringify(comment)}\n`,
      );

    await writeObjects(`first $(touch ${join(folder, 'no')})`);
    await tofu('init', '-input=false');
    await tofu('apply', '-input=false', '-auto-approve');
    expect(await groups()).toEqual([['Operators', `first $(touch ${join(folder, 'no')})`]]);
    expect(await tofu('plan', '-input=false')).toContain('No changes');
    await writeObjects('second');
    expect(await tofu('plan', '-input=false')).toContain('must be replaced');
    await tofu('apply', '-input=false', '-auto-approve');
    expect(await groups()).toEqual([['Operators', 'second']]);
    await writeObjects('x'.repeat(100_000));
    await expect(tofu('apply', '-input=false', '-auto-approve')).rejects.toThrow(/comment/);
    expect(await groups()).toEqual([['Operators', 'second']]);
    expect(await readFile(join(folder, 'terraform.tfstate'), 'utf8')).not.toContain(key.secret);
  } finally {
    await test.stop();
    await rm(folder, { recursive: true });
  }
});
