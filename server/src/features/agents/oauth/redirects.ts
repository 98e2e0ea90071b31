import { isOperand } from '@sallyport/contract';

/** Hosts of the machine that runs the browser (RFC 8252, 7.3). */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const MAX_LENGTH = 512;

/** Returns a redirect address; undefined for one that no program may use. */
function readRedirect(text: string): URL | undefined {
  if (text.length > MAX_LENGTH || !isOperand(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' && url.hash === '' ? url : undefined;
}

/** Returns true for an address of the machine that runs the browser. */
export function isLoopback(text: string): boolean {
  const url = readRedirect(text);
  return url?.protocol === 'http:' && LOOPBACK.has(url.hostname);
}

const withoutPort = (url: URL): string => `${url.hostname}${url.pathname}${url.search}`;

/**
 * Returns the address to redirect to if it is registered. Programs listen on any free port of the
 * loopback address, so its port is not compared (RFC 8252, 7.3).
 */
export function registeredRedirect(
  registered: readonly string[],
  asked: string,
): string | undefined {
  const url = readRedirect(asked);
  if (!url) return undefined;
  const isRegistered = registered.some((text) => {
    if (text === asked) return true;
    if (!isLoopback(text) || !isLoopback(asked)) return false;
    return withoutPort(new URL(text)) === withoutPort(url);
  });
  return isRegistered ? url.href : undefined;
}

/** Returns an address as the consent page shows it. */
export function shownRedirect(redirect: string): string {
  const { protocol, hostname, pathname } = new URL(redirect);
  return `${protocol}//${hostname}${pathname}`;
}

/** Adds the answer to a redirect. The parameters of the answer win over equal ones. */
export function answerAt(
  redirect: string,
  answer: Readonly<Record<string, string | null>>,
): string {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(answer)) {
    url.searchParams.delete(name);
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}
