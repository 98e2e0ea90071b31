/** A request of a signed-in SSH client, with the users who may use it. */
export interface SshRequest {
  readonly name:
    | 'shell'
    | 'exec with a terminal'
    | 'exec'
    | 'sftp'
    | 'jump'
    | 'direct-tcpip to the server'
    | 'direct-tcpip'
    | 'tcpip-forward'
    | 'streamlocal-forward'
    | 'auth-agent-req'
    | 'x11-req';
  /**
   * `granted`: users with the action *connect* on the asset with a system user. `nobody`: rejected
   * for all users.
   */
  readonly allowed: 'granted' | 'nobody';
  readonly remark: string;
}

/** All SSH channels and requests, for the document and the tests. */
export const SSH_REQUESTS: readonly SshRequest[] = [
  {
    name: 'shell',
    allowed: 'granted',
    remark:
      'with a terminal; recorded, guarded and watched like a web terminal. Without a server in the name: the menu, which shows what is granted',
  },
  {
    name: 'exec with a terminal',
    allowed: 'granted',
    remark: 'the command is decided as a whole, then recorded like a shell',
  },
  {
    name: 'exec',
    allowed: 'granted',
    remark:
      'the command is decided as a whole; a shell without a terminal only where no command filter applies; `scp` and `rsync` also need *upload_file* or *download_file*',
  },
  {
    name: 'sftp',
    allowed: 'granted',
    remark:
      'the files below the SFTP root of the account; *upload_file* to change anything, *download_file* to read a file. Without a server in the name: a tree of what is granted',
  },
  {
    name: 'jump',
    allowed: 'granted',
    remark:
      "`direct-tcpip` to the SSH port of a granted server, `-J`: it ends inside the bastion, which offers what this table says in the server's place",
  },
  {
    name: 'direct-tcpip to the server',
    allowed: 'granted',
    remark:
      '`-L`, `-W`, `-D` to a port of the named server itself, only where the permission has *forward_port*, which *all* does not include',
  },
  { name: 'direct-tcpip', allowed: 'nobody', remark: 'the same to any other address' },
  {
    name: 'tcpip-forward',
    allowed: 'nobody',
    remark:
      'remote forwarding, `-R`. A site, which is no user, asks for it with its own key: nothing listens, and the bastion opens the channels',
  },
  {
    name: 'streamlocal-forward',
    allowed: 'nobody',
    remark: 'sockets of files, `-R` and `-L` with a path',
  },
  { name: 'auth-agent-req', allowed: 'nobody', remark: 'the agent, `-A`' },
  { name: 'x11-req', allowed: 'nobody', remark: 'X11, `-X`' },
];

/** Returns their section of the authorization document. */
export function sshAuthorization(): string {
  const rows = SSH_REQUESTS.map(
    ({ name, allowed, remark }) =>
      `| ${name} | ${allowed === 'granted' ? 'granted' : 'nobody'} | ${remark} |`,
  );
  return `
## SSH listener

Requests of a signed-in client. Only a permission opens a server; the role does not matter.
*granted*: a permission names the user (or a group), the asset (or a node above it), the system
user and the action *connect*, when the session starts and while it lasts. For other users the
server does not exist. Signing in requires a valid account.

| Channel or request | Allowed for | Remark |
| --- | --- | --- |
${rows.join('\n')}
`;
}
