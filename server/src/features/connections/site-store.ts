/** An open tunnel of a site. */
export interface SiteTunnelRow {
  readonly id: string;
  readonly siteId: string;
  readonly holder: string;
  readonly remoteAddr: string;
  readonly software: string;
  readonly channels: number;
  /** In milliseconds. */
  readonly roundTrip: number | undefined;
}

/** The stored sites, and the tunnels of all processes to them. */
export interface SiteStore {
  /** Returns the active site with this key, in the binary form of SSH. */
  find(
    id: string,
    key: Buffer,
  ): Promise<{ readonly id: string; readonly name: string } | undefined>;
  /** Returns the processes that hold tunnels of a site, latest first. */
  holdersOf(siteId: string): Promise<readonly string[]>;
  /** Stores the tunnels of a process. Returns those that must end. */
  keep(holder: string, tunnels: readonly SiteTunnelRow[]): Promise<readonly string[]>;
}

/** Without a store, no site may connect and no asset behind one is reached. */
export const NO_SITES: SiteStore = {
  find: async () => undefined,
  holdersOf: async () => [],
  keep: async (_, tunnels) => tunnels.map(({ id }) => id),
};

/** The SSH listener of this process. */
export interface SshListenerFacts {
  /** 0 while it is off. */
  port(): number;
  /** Public keys in the format of OpenSSH. */
  hostKeys(): Promise<readonly string[]>;
}
