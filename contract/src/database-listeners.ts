/** The protocols whose clients our listeners serve. */
export const LISTENED_DATABASES = ['mysql', 'postgresql'] as const;
export type ListenedDatabase = (typeof LISTENED_DATABASES)[number];

/** Minutes for which a short-lived password opens new connections. */
export const DATABASE_PASSWORD_MINUTES = 10;

/** GET terminal/databases/: where people's own clients of databases connect. Our own addition. */
export interface DatabaseListeners {
  /** The ports; 0 where nothing listens for clients of that kind. */
  readonly mysql: number;
  readonly postgresql: number;
}

/** POST terminal/databases/passwords/: a password for one database with one system user. It is in this answer and nowhere else. */
export interface DatabasePassword {
  readonly protocol: ListenedDatabase;
  /** Blank: the host of the console's address. */
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** The database that is open at first; blank where the server chooses. */
  readonly database: string;
  readonly date_expired: string;
  /** Whether clients must use TLS. */
  readonly tls: boolean;
  /** The certificate of the listener in PEM, and its SHA-256 fingerprint. */
  readonly certificate: string;
  readonly fingerprint: string;
}
