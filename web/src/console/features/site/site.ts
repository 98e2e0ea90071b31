const originOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : address;

/** Returns true for an address that only the same machine opens: `http://localhost:8080`. */
export function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false;
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

/**
 * Returns the address that mailed links begin with, if it is not the one of the page (`here`).
 * Undefined also on the machine of the server, and without `site`, because the operator fixed it.
 */
export function siteElsewhere(site: string | undefined, here: string): string | undefined {
  if (site === undefined || isLoopback(here) || originOf(site) === originOf(here)) return undefined;
  return site.replace(/\/+$/, '');
}
