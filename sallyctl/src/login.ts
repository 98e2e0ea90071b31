import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { DeviceCode, DeviceToken } from '../../contract/src/index.ts';
import { Failure, STATUS } from './failure.ts';
import { t } from './language.ts';
import { line, note, plain } from './print.ts';
import { DEVICE, Refused, readServer, Server } from './server.ts';
import { forget, readStored, requireStored, store } from './stored.ts';
import { words } from './words.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** Increase of the interval after `slow_down` (RFC 8628). */
const SLOWER_SECONDS = 5;

/** Opens an address in the browser, if there is one. */
function openBrowser(address: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', address]
        : ['xdg-open', address];
  spawn(command ?? '', args, { stdio: 'ignore', detached: true })
    .once('error', () => undefined)
    .unref();
}

/** Asks for the token until the user has confirmed or denied. @throws Failure */
async function awaitToken(server: Server, begun: DeviceCode): Promise<DeviceToken> {
  let { interval } = begun;
  const end = Date.now() + begun.expires_in * 1_000;
  while (Date.now() < end) {
    await wait(interval * 1_000);
    try {
      return await server.post<DeviceToken>('authentication/device/token/', {
        grant_type: GRANT,
        device_code: begun.device_code,
      });
    } catch (error) {
      const code = error instanceof Refused ? error.body.error : undefined;
      if (code === 'slow_down') interval += SLOWER_SECONDS;
      // A network that fails for a moment does not end the sign-in.
      else if (code !== 'authorization_pending' && !(isUnreachable(error) && Date.now() < end))
        throw error;
    }
  }
  throw new Failure(t(words.codeExpired));
}

const isUnreachable = (error: unknown) =>
  error instanceof Failure && error.status === STATUS.unreachable;

export interface LoginOptions {
  readonly server: string | undefined;
  /** The account that the user expects to sign in with. */
  readonly user: string | undefined;
  readonly opensBrowser: boolean;
}

/** Signs this device in: the user confirms a code in the console. */
export async function login({ server: named, user, opensBrowser }: LoginOptions): Promise<number> {
  const earlier = await readStored().catch(() => undefined);
  const address = named ?? earlier?.server;
  if (address === undefined) throw new Failure(t(words.whichServer), STATUS.usage);
  const server = new Server(readServer(address));
  const begun = await server.post<DeviceCode>('authentication/device/code/', {
    device: DEVICE,
    username: user ?? '',
  });
  const page = begun.verification_uri_complete;
  line(t(words.openPage));
  line(`  ${plain(page)}`);
  line(t(words.compareCode));
  line(`  ${plain(begun.user_code)}`);
  if (opensBrowser && /^https?:\/\//.test(page)) openBrowser(page);
  const { access_token: token, username, name, date_expired } = await awaitToken(server, begun);
  await store({ server: server.url, token, username, date_expired });
  if (earlier?.server === server.url) await end(Server.of(earlier)).catch(() => undefined);
  line(t(words.signedIn, { name: plain(name), username: plain(username), date: date_expired }));
  return 0;
}

const end = (server: Server) => server.post('/core/auth/logout/');

/** Ends the sign-in of this device and forgets it. */
export async function logout(): Promise<number> {
  const stored = await requireStored();
  try {
    await end(Server.of(stored));
  } catch (error) {
    const isOver = error instanceof Failure && error.status === STATUS.notSignedIn;
    if (!isOver) {
      await forget();
      note(t(words.notEnded, { date: stored.date_expired }));
      throw error;
    }
  }
  await forget();
  line(t(words.signedOut));
  return 0;
}
