import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { inTime } from '../protocols/ssh/ssh-client.ts';
import { Refusal } from '../refusal.ts';
import type { SignedInSite, SiteConnection } from './site-connection.ts';
import { askSocks, type SiteAddress } from './socks.ts';

/** Tunnels of one site in this process. */
const MAX_TUNNELS = 8;
/** The tunnel may be lost without a sign: another one is tried after this time. */
const CHANNEL_MS = 5_000;
/** The site resolves the name and connects. */
const CONNECT_MS = 15_000;

/** The tunnels of sites that end in this process. */
export class SiteTunnels {
  readonly #bySite = new Map<string, Set<SiteConnection>>();

  /** Adds a tunnel. Returns false if the site has too many here. */
  add(tunnel: SiteConnection): boolean {
    const own = this.#bySite.get(tunnel.site.id) ?? new Set();
    if (own.size >= MAX_TUNNELS) return false;
    this.#bySite.set(tunnel.site.id, own.add(tunnel));
    return true;
  }

  remove(tunnel: SiteConnection): void {
    const own = this.#bySite.get(tunnel.site.id);
    own?.delete(tunnel);
    if (own?.size === 0) this.#bySite.delete(tunnel.site.id);
  }

  of(siteId: string): readonly SiteConnection[] {
    return [...(this.#bySite.get(siteId) ?? [])];
  }

  /**
   * Opens a stream to a host behind a site, through the tunnel with the fewest channels. Undefined
   * if the site has no tunnel here that answers. @throws Refusal
   */
  async open(
    site: SignedInSite,
    address: SiteAddress,
    signal: AbortSignal,
  ): Promise<Duplex | undefined> {
    const tunnels = this.of(site.id);
    const usable = tunnels
      .filter(({ isOpen }) => isOpen)
      .toSorted((one, other) => one.channels - other.channels);
    if (tunnels.length > 0 && usable.length === 0)
      throw new Refusal('connect_site_full', { site: site.name });
    for (const tunnel of usable) {
      const stream = await channelOf(tunnel, signal);
      if (!stream) continue;
      if (isIP(address.host) === 0) tunnel.resolves();
      return connected(stream, site, address, signal);
    }
    return undefined;
  }
}

/** Opens a channel; undefined if the tunnel does not answer. */
async function channelOf(tunnel: SiteConnection, signal: AbortSignal): Promise<Duplex | undefined> {
  const opening = tunnel.openChannel();
  try {
    return await inTime(opening, CHANNEL_MS, signal, { host: tunnel.site.name });
  } catch {
    opening.then((late) => late.destroy()).catch(() => undefined);
    signal.throwIfAborted();
    return undefined;
  }
}

async function connected(
  stream: Duplex,
  site: SignedInSite,
  address: SiteAddress,
  signal: AbortSignal,
): Promise<Duplex> {
  const host = `${address.host}:${address.port}`;
  try {
    if (await inTime(askSocks(stream, address), CONNECT_MS, signal, { host })) return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
  stream.destroy();
  throw new Refusal('connect_site_refused', { site: site.name, host });
}
