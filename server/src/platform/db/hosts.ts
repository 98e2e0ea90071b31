const DEFAULT_PORT = 5432;
/** Timeout of a connection to one of several hosts, unless `connect_timeout` names another. */
const CONNECT_SECONDS = 5;
/** Values of `target_session_attrs` that a server which writes can use. */
const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'];
const URL_PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/** A host of a database URL. */
export interface DatabaseHost {
  /** Without the brackets of IPv6; a folder for a Unix socket; empty for the default. */
  readonly name: string;
  readonly port: number;
  /** The database URL with this host only. */
  readonly url: string;
}

/** A database URL with one or several hosts, as libpq reads it. */
export interface DatabaseAddress {
  /** In the order of the URL. */
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  /** True if a connection must accept writes: the default for several hosts. */
  readonly mustWrite: boolean;
  /** Timeout of one host, in milliseconds; undefined means the caller's. */
  readonly connectMilliseconds: number | undefined;
}

/** Splits a URL into one URL per host. Returns a problem as a sentence, without the password. */
function readHosts(url: string): DatabaseHost[] | string {
  const [, scheme = '', authority = '', path = '', query = ''] = URL_PARTS.exec(url) ?? [];
  if (!scheme) {
    const protocol = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0];
    return protocol
      ? `begins with ${protocol} instead of postgres: or postgresql:`
      : 'is not a URL';
  }
  const account = authority.slice(0, authority.lastIndexOf('@') + 1);
  const parameters = new URLSearchParams(query);
  const listed = parameters.get('host');
  const names = (listed ?? authority.slice(account.length)).split(',');
  const ports = parameters.get('port')?.split(',') ?? [];
  if (names.length > 1 && names.includes('')) return 'names an empty host';
  if (ports.length > 1 && ports.length !== names.length)
    return `names ${ports.length} ports for ${names.length} hosts`;
  const hosts: DatabaseHost[] = [];
  for (const [index, name] of names.entries()) {
    const own = new URLSearchParams(parameters);
    if (listed !== null) own.set('host', name);
    if (ports.length > 1) own.set('port', ports[index] ?? '');
    const place = listed === null ? `${account}${name}` : authority;
    const isChanged = names.length > 1 || ports.length > 1;
    const single = isChanged ? `${scheme}${place}${path}${own.size > 0 ? `?${own}` : ''}` : url;
    if (!URL.canParse(single))
      return names.length > 1 ? `names a wrong host: ${name}` : 'is not a URL';
    const { hostname, port } = new URL(single);
    hosts.push({
      name: own.get('host') ?? decodeURIComponent(hostname.replace(/^\[|\]$/g, '')),
      port: Number(own.get('port') || port) || DEFAULT_PORT,
      url: single,
    });
  }
  return hosts;
}

function readAddress(url: string): DatabaseAddress | string {
  const hosts = readHosts(url);
  if (typeof hosts === 'string') return hosts;
  const [first, ...others] = hosts;
  if (!first) return 'is not a URL';
  const { searchParams } = new URL(first.url);
  const attributes = searchParams.get('target_session_attrs');
  if (attributes !== null && !SESSION_ATTRIBUTES.includes(attributes))
    return `has a target_session_attrs that is not ${SESSION_ATTRIBUTES.join(', ')}`;
  const seconds = searchParams.get('connect_timeout');
  if (seconds !== null && !/^\d{1,5}$/.test(seconds))
    return 'has a connect_timeout that is not a number of seconds';
  const usual = others.length > 0 ? CONNECT_SECONDS : 0;
  return {
    hosts: [first, ...others],
    mustWrite: attributes === null ? others.length > 0 : attributes !== 'any',
    connectMilliseconds: Number(seconds ?? usual) * 1_000 || undefined,
  };
}

/** Returns the problem of a database URL as a sentence, or undefined. */
export function databaseUrlProblem(url: string): string | undefined {
  const address = readAddress(url);
  return typeof address === 'string' ? address : undefined;
}

/** Reads a database URL, with one host or several. @throws Error for a wrong one */
export function databaseAddress(url: string): DatabaseAddress {
  const address = readAddress(url);
  if (typeof address === 'string') throw new Error(`The address of the database ${address}`);
  return address;
}

/** Returns `host:port`, with brackets around an IPv6 address; a folder without the port. */
export function hostLabel({ name, port }: DatabaseHost): string {
  if (name.startsWith('/')) return name;
  return `${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Returns the URL of another database at the same hosts. */
export function withDatabaseName(url: string, name: string): string {
  const [all = '', scheme = '', authority = ''] = URL_PARTS.exec(url) ?? [];
  const query = all.indexOf('?');
  return `${scheme}${authority}/${encodeURIComponent(name)}${query < 0 ? '' : all.slice(query)}`;
}
