import { openSsh, type SshConnection } from './connectors/ssh.ts';
import type { ConnectionRequest, NearEnd } from './near-end.ts';
import type { GatewayPorts, Grant, Hop, LimitValues, Login, Person } from './ports.ts';
import { Refusal } from './refusal.ts';

const ASK_MINUTES = 5;
/** How often a person may answer a rejected password. */
const MAX_REJECTIONS = 3;

/** One try to reach a target: everything is known, nothing is connected yet. */
export interface Attempt {
  readonly grant: Grant;
  readonly login: Login;
  readonly gateways: readonly Hop[];
  readonly limits: LimitValues;
  connect(): Promise<SshConnection>;
}

/** What dialling works with. */
export interface Dialling {
  readonly ports: GatewayPorts;
  readonly person: Person;
  readonly request: ConnectionRequest;
  readonly near: NearEnd;
  readonly signal: AbortSignal;
}

/**
 * The road to a target: permission, credentials, way. Calls `attempt` with each try; when a person's own password was rejected, the
 * person is asked again and another try is made.
 */
export async function dial<Result>(dialling: Dialling, attempt: (attempt: Attempt) => Promise<Result>): Promise<Result> {
  const { ports, person, request, near, signal } = dialling;
  near.stage('checking');
  const check = () => ports.access.check(person.userId, request.assetId, request.systemUserId);
  let grant = await check();
  const limits = await ports.limits.read();
  const stored = grant.systemUser.loginMode === 'manual' ? undefined : await ports.credentials.open(grant.systemUser.id, grant.asset.id);
  // The grant knows the name also where it is the person's own.
  const known = stored && { ...stored, username: grant.systemUser.username || stored.username };
  let login = known && isComplete(known) ? known : undefined;
  const asksPerson = login === undefined;
  const fixedName = grant.systemUser.username;
  let username = fixedName;
  for (let rejections = 0; ; rejections++) {
    if (asksPerson) {
      login = await ask(dialling, username, rejections === 0 ? 'manual' : 'rejected');
      // What is granted is one account: a person who is asked for its password cannot become another one.
      if (fixedName) login = { ...login, username: fixedName };
      username = login.username;
      // A person may take minutes to answer; what was allowed then must still be allowed now.
      grant = await check();
    }
    if (!login) throw new Refusal('internal');
    signal.throwIfAborted();
    try {
      return await attempt(await prepare(dialling, grant, login, limits));
    } catch (error) {
      if (!asksPerson || rejections + 1 >= MAX_REJECTIONS || !isRejected(error, grant)) throw error;
    }
  }
}

async function prepare(dialling: Dialling, grant: Grant, login: Login, limits: LimitValues): Promise<Attempt> {
  const { ports, near, signal } = dialling;
  const gateways = await ports.route.gateways(grant.asset.id);
  const target: Hop = { id: grant.asset.id, name: grant.asset.hostname, host: grant.asset.ip, port: grant.asset.port, login };
  const connect = () =>
    openSsh({
      gateways,
      target,
      hostKeys: ports.hostKeys,
      timeoutMs: limits.connectSeconds * 1000,
      onStage: (stage, host) => near.stage(stage, host),
      signal,
    });
  return { grant, login, gateways, limits, connect };
}

async function ask(dialling: Dialling, username: string, reason: 'manual' | 'rejected'): Promise<Login> {
  const { near, signal } = dialling;
  let timer: NodeJS.Timeout | undefined;
  const given = await new Promise<Login>((done, failed) => {
    timer = setTimeout(() => failed(new Refusal('session_idle', { minutes: ASK_MINUTES })), ASK_MINUTES * 60_000);
    signal.addEventListener('abort', () => failed(signal.reason), { once: true });
    near.askCredentials(username, reason).then(done, failed);
  }).finally(() => clearTimeout(timer));
  return { username: given.username, password: given.password ?? '' };
}

function isComplete(login: Login): boolean {
  return login.username !== '' && (login.password !== undefined || login.privateKey !== undefined);
}

/** Only the target's own rejection; a gateway's account is not the person's to type. */
function isRejected(error: unknown, grant: Grant): boolean {
  return error instanceof Refusal && error.problem.code === 'connect_credentials' && error.problem.params?.host === `${grant.asset.ip}:${grant.asset.port}`;
}
