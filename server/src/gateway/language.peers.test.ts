import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startSshd } from '../testing/ssh/sshd.ts';

// OpenSSH 9.2p1 on Debian 12. Without PAM, nothing else sets a language.
describe('at a server that accepts LANG', () => {
  const rig = gatewayRig({}, () => startSshd({ config: ['AcceptEnv LANG LC_*'] }));

  it('sets the language of a terminal in the browser, so that Chinese can be typed', async () => {
    await writeFile(join(rig.sshd.home, 'file-of-the-folder'), '', { mode: 0o644 });
    const client = await rig.openTerminal();
    client.type('echo 你好 "[$LANG]"\r');
    await client.waitFor('你好 [C.UTF-8]\r\n');
    expect(client.output).not.toContain('file-of-the-folder');
  });

  it('sets no language for a target in GBK', async () => {
    const grant = grantFor(rig.sshd);
    rig.ports.grant = { ...grant, asset: { ...grant.asset, charset: 'gbk' } };
    const client = await rig.openTerminal();
    client.type('echo "[$LANG]"\r');
    await client.waitFor('[]\r\n');
  });
});

describe('at a server that accepts no variable', () => {
  const rig = gatewayRig({}, () => startSshd());

  it('opens a terminal in the browser without a language', async () => {
    const client = await rig.openTerminal();
    client.type('echo "[$LANG]"\r');
    await client.waitFor('[]\r\n');
  });
});
