import { expect, it } from 'vitest';
import { OVERRIDES } from './system-user-form.ts';

it('offers SSH certificates and the SFTP root to system users of SSH only', () => {
  const { login_mode: mode, sftp_root: root } = OVERRIDES;
  for (const protocol of ['ssh', 'telnet', 'rdp', 'vnc', 'mysql'])
    expect([
      mode?.offers?.('manual', { protocol }),
      mode?.offers?.('certificate', { protocol }),
      root?.hidden?.({ protocol }, false),
    ]).toEqual([true, protocol === 'ssh', protocol !== 'ssh']);
});
