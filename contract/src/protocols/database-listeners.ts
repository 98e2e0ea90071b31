/** Protocols with a listener for native clients. */
export const LISTENED_DATABASES = ['mysql', 'postgresql'] as const;
export type ListenedDatabase = (typeof LISTENED_DATABASES)[number];

/** Minutes during which a short-lived password opens connections. */
export const DATABASE_PASSWORD_MINUTES = 10;

/** GET terminal/databases/: the addresses for native database clients. Our own addition. */
export interface DatabaseListeners {
  /** Ports; 0 without a listener. */
  readonly mysql: number;
  readonly postgresql: number;
}

/**
 * POST terminal/databases/passwords/: a password for one database and system user. No other answer
 * contains it.
 */
export interface DatabasePassword {
  readonly protocol: ListenedDatabase;
  /** Empty: the host of the console's address. */
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** The initial database; empty if the server chooses. */
  readonly database: string;
  readonly date_expired: string;
  /** True if clients must use TLS. */
  readonly tls: boolean;
  /** PEM certificate of the listener and its SHA-256 fingerprint. */
  readonly certificate: string;
  readonly fingerprint: string;
}
