/** Kind of work in a session: terminal, file transfer, database query, or desktop. */
export type SessionKind = 'terminal' | 'transfer' | 'query' | 'desktop' | 'api';

/** Properties of a protocol, used by lists, forms, validation and the gateway. */
export interface Protocol {
  readonly name: string;
  /** Default port in forms. */
  readonly defaultPort: number;
  readonly sessionKind: SessionKind;
  /** True if assets offer it; otherwise only applications do. */
  readonly onAssets: boolean;
  /** Requirements and options of an account with automatic login. */
  readonly account: {
    /** True if a username and a secret are required. */
    readonly requiresLogin: boolean;
    readonly privateKey: boolean;
    /** True if accounts have a shell, sudo rules and a root folder for file transfer. */
    readonly unixAccount: boolean;
    /** True if accounts can be created on the asset. */
    readonly canPush: boolean;
  };
  readonly canWatch: boolean;
}

const UNIX = { requiresLogin: true, privateKey: true, unixAccount: true, canPush: true } as const;
const PASSWORD = {
  requiresLogin: true,
  privateKey: false,
  unixAccount: false,
  canPush: true,
} as const;

/** All protocols, in the order of the choices. */
export const PROTOCOLS = [
  {
    name: 'ssh',
    defaultPort: 22,
    sessionKind: 'terminal',
    onAssets: true,
    account: UNIX,
    canWatch: true,
  },
  {
    name: 'rdp',
    defaultPort: 3389,
    sessionKind: 'desktop',
    onAssets: true,
    account: PASSWORD,
    canWatch: true,
  },
  {
    name: 'telnet',
    defaultPort: 23,
    sessionKind: 'terminal',
    onAssets: true,
    account: { ...PASSWORD, canPush: false },
    canWatch: true,
  },
  {
    name: 'vnc',
    defaultPort: 5901,
    sessionKind: 'desktop',
    onAssets: true,
    account: { ...PASSWORD, requiresLogin: false, canPush: false },
    canWatch: true,
  },
  {
    name: 'mysql',
    defaultPort: 3306,
    sessionKind: 'query',
    onAssets: false,
    account: PASSWORD,
    canWatch: true,
  },
  {
    name: 'postgresql',
    defaultPort: 5432,
    sessionKind: 'query',
    onAssets: false,
    account: { ...PASSWORD, canPush: false },
    canWatch: true,
  },
  // Redis may require no password, or one without a username.
  {
    name: 'redis',
    defaultPort: 6379,
    sessionKind: 'query',
    onAssets: false,
    account: { ...PASSWORD, requiresLogin: false, canPush: false },
    canWatch: true,
  },
  // The password is a bearer token, which has no username.
  {
    name: 'kubernetes',
    defaultPort: 6443,
    sessionKind: 'api',
    onAssets: false,
    account: { ...PASSWORD, requiresLogin: false, canPush: false },
    canWatch: false,
  },
] as const satisfies readonly Protocol[];

export type ProtocolName = (typeof PROTOCOLS)[number]['name'];

/** Returns the protocol of a name; undefined if unknown. */
export function protocolOf(name: string): (Protocol & { readonly name: ProtocolName }) | undefined {
  return PROTOCOLS.find((protocol) => protocol.name === name);
}

export const ASSET_PROTOCOLS: readonly Protocol[] = PROTOCOLS.filter(({ onAssets }) => onAssets);

export const PROTOCOL_CHOICES = PROTOCOLS.map(({ name }) => ({
  value: name,
  label: { en: name, zh: name },
}));

/** A protocol of an asset, written as `ssh/22` in `protocols`. */
export interface AssetProtocol {
  readonly name: ProtocolName;
  readonly port: number;
}

/** Parses `name/port`; undefined unless assets offer the protocol and the port is valid. */
export function parseAssetProtocol(text: string): AssetProtocol | undefined {
  const [, name = '', digits = ''] = /^([a-z]+)\/(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const protocol = protocolOf(name);
  return protocol?.onAssets && port >= 1 && port <= 65_535
    ? { name: protocol.name, port }
    : undefined;
}
