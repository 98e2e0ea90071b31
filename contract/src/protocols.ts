/** What people do in a session: work in a terminal, move files, query a database, or use a desktop. */
export type SessionKind = 'terminal' | 'transfer' | 'query' | 'desktop';

/** What the product knows about a protocol. Lists, forms, validation and the gateway read it here. */
export interface Protocol {
  readonly name: string;
  /** The port that a form offers first. */
  readonly defaultPort: number;
  readonly sessionKind: SessionKind;
  /** Whether assets have it; otherwise only applications do. */
  readonly onAssets: boolean;
  /** What an account needs and may have with automatic login. */
  readonly account: {
    /** Whether a username and a secret are required. */
    readonly requiresLogin: boolean;
    readonly privateKey: boolean;
    /** Whether accounts have a shell, sudo rules and a root folder for file transfer. */
    readonly unixAccount: boolean;
    /** Whether accounts can be created on the asset. */
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

/** Every protocol that accounts, assets and sessions can name, in the order of the choices. */
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
  // A server may ask for no password, or for one without a name.
  {
    name: 'redis',
    defaultPort: 6379,
    sessionKind: 'query',
    onAssets: false,
    account: { ...PASSWORD, requiresLogin: false, canPush: false },
    canWatch: true,
  },
] as const satisfies readonly Protocol[];

export type ProtocolName = (typeof PROTOCOLS)[number]['name'];

/** The protocol of a name; undefined for an unknown one. */
export function protocolOf(name: string): (Protocol & { readonly name: ProtocolName }) | undefined {
  return PROTOCOLS.find((protocol) => protocol.name === name);
}

/** The protocols that assets have. */
export const ASSET_PROTOCOLS: readonly Protocol[] = PROTOCOLS.filter(({ onAssets }) => onAssets);

/** The names as choices of a field. */
export const PROTOCOL_CHOICES = PROTOCOLS.map(({ name }) => ({
  value: name,
  label: { en: name, zh: name },
}));

/** One protocol of an asset, as it is written in `protocols`: `ssh/22`. */
export interface AssetProtocol {
  readonly name: ProtocolName;
  readonly port: number;
}

/** Reads `name/port`; undefined unless assets have the protocol and the port exists. */
export function parseAssetProtocol(text: string): AssetProtocol | undefined {
  const [, name = '', digits = ''] = /^([a-z]+)\/(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const protocol = protocolOf(name);
  return protocol?.onAssets && port >= 1 && port <= 65_535
    ? { name: protocol.name, port }
    : undefined;
}
