import { describe, expect, it } from 'vitest';
import { knownHosts, sshCommand, sshConfig, sshLink, sshLogin } from './ssh-access.ts';

const ACCESS = {
  host: 'bastion.example.com',
  port: 2222,
  host_keys: [{ public_key: 'ssh-ed25519 AAAA', fingerprint: 'SHA256:x' }],
  host_ca: 'ssh-ed25519 BBBB',
};
const asset = { id: 'a1', hostname: 'web1' };
const account = { id: 's1', name: 'root', username: 'root' };

describe('the command for an SSH client', () => {
  it('names user, account and server', () => {
    expect(sshCommand(ACCESS, 'alice', { asset, account })).toBe(
      'ssh -p 2222 alice@root@web1@bastion.example.com',
    );
    expect(sshCommand({ ...ACCESS, port: 22 }, 'alice')).toBe('ssh alice@bastion.example.com');
  });

  it('replaces names with spaces or @, and uses the id if no name is plain', () => {
    expect(
      sshLogin('alice', {
        asset,
        account: { ...account, name: 'deploy on web', username: 'deploy' },
      }),
    ).toBe('alice@deploy@web1');
    expect(
      sshLogin('alice', {
        asset: { ...asset, hostname: 'web 1' },
        account: { ...account, name: 'a@b', username: '' },
      }),
    ).toBe('alice@s1@a1');
    expect(sshLogin('a@b@c')).toBe('a@b@c@@');
  });

  it('quotes names for safe pasting into a shell', () => {
    expect(sshCommand(ACCESS, "o'neil;$(reboot)")).toBe(
      'ssh "ssh://o%27neil%3B%24%28reboot%29@bastion.example.com:2222"',
    );
    expect(sshCommand(ACCESS, '-oProxyCommand=x')).toBe(
      'ssh "ssh://-oProxyCommand%3Dx@bastion.example.com:2222"',
    );
    expect(sshCommand(ACCESS, 'alice', { asset: { ...asset, hostname: '数据库' }, account })).toBe(
      'ssh -p 2222 "alice@root@数据库@bastion.example.com"',
    );
  });

  it('builds an address with the login as a single word', () => {
    expect(sshLink(ACCESS, 'alice', { asset, account })).toBe(
      'ssh://alice%40root%40web1@bastion.example.com:2222',
    );
    expect(sshLink({ ...ACCESS, port: 22, host: '2001:db8::1' }, 'a/b?c')).toBe(
      'ssh://a%2Fb%3Fc@[2001:db8::1]',
    );
  });

  it('writes the client configuration and the known hosts', () => {
    expect(sshConfig(ACCESS, 'alice')).toBe(
      'Host sallyport\n  HostName bastion.example.com\n  Port 2222\n  User alice\n  ServerAliveInterval 30',
    );
    expect(knownHosts(ACCESS)).toBe(
      '[bastion.example.com]:2222 ssh-ed25519 AAAA\n@cert-authority * ssh-ed25519 BBBB',
    );
  });
});
