import { type ProtocolName, protocolOf, type SessionKind } from '@sallyport/contract';
import type { Grant, TargetKind } from '../ports/grant.ts';
import type { Person } from '../ports/people.ts';
import type { NewSession } from '../ports/records.ts';
import type { GatewayPorts, LimitValues, Login } from '../ports.ts';
import type { Connector, Route } from '../protocols/connector.ts';
import { CONNECTORS, connectorFor } from '../protocols/index.ts';
import { Refusal } from '../refusal.ts';
import { askInTime } from './ask-in-time.ts';
import { requireFactor } from './require-factor.ts';
import type { SessionClient } from './session-client.ts';

/** How often a person may answer a rejected password. */
const MAX_REJECTIONS = 3;

/** What a person asks for. */
export interface ConnectionRequest {
  /** The asset, or the application where `kind` names one. */
  readonly assetId: string;
  readonly kind?: TargetKind | undefined;
  readonly systemUserId: string;
  /** The protocol that the client expects of the account; whatever the account has when it is absent. */
  readonly protocol?: ProtocolName | undefined;
}

/** What dialling works with. */
export interface Dialling {
  readonly ports: GatewayPorts;
  readonly person: Person;
  readonly request: ConnectionRequest;
  readonly client: SessionClient;
  /** The protocols that can be spoken; all of them when absent. */
  readonly connectors?: readonly Connector[];
  /** Ends the attempt: the person is gone, or the server stops. */
  readonly signal: AbortSignal;
}

/** What a person may reach, before anybody is asked for a password. */
export interface Authorized {
  readonly grant: Grant;
  readonly secondFactor: NewSession['secondFactor'];
  readonly connector: Connector;
  readonly limits: LimitValues;
  /** What the vault has; `undefined` when the person has to be asked. */
  readonly login: Login | undefined;
}

/** One attempt to reach a target: everything is known, nothing is connected yet. */
export interface Attempt {
  readonly grant: Grant;
  readonly secondFactor: NewSession['secondFactor'];
  readonly login: Login;
  readonly connector: Connector;
  readonly route: Route;
  readonly limits: LimitValues;
  /** How often the person's password was rejected before this attempt; `undefined` when the person was not asked. */
  readonly rejections: number | undefined;
}

/** Checks the permission and finds the connector and the stored account. @throws Refusal */
export async function authorize(
  { ports, person, request, client, signal, connectors = CONNECTORS }: Dialling,
  kind: SessionKind,
): Promise<Authorized> {
  client.stage('checking');
  const check = () =>
    ports.access.check(person.userId, request.assetId, request.systemUserId, request.kind);
  const first = await check();
  const { systemUser, asset } = first;
  if (request.protocol !== undefined && request.protocol !== systemUser.protocol)
    throw new Refusal('connect_protocol', { protocol: request.protocol });
  const connector = connectorFor(systemUser.protocol, kind, connectors);
  const secondFactor = await requireFactor({ ports, person, client, signal }, first);
  // A person may take minutes to answer; what was allowed then must still be allowed now.
  const grant = secondFactor === 'asked' ? await check() : first;
  const limits = await ports.limits.read();
  if (systemUser.isOpen)
    return {
      grant,
      secondFactor,
      connector,
      limits,
      login: { username: systemUser.username, isOpen: true },
    };
  const stored =
    systemUser.loginMode === 'manual'
      ? undefined
      : await ports.credentials.open(systemUser.id, asset.id, systemUser.username);
  // The grant knows the name also where it is the person's own.
  const login = stored && { ...stored, username: systemUser.username || stored.username };
  return {
    grant,
    secondFactor,
    connector,
    limits,
    login: login && isComplete(login, systemUser.protocol) ? login : undefined,
  };
}

/** Prepares an attempt. A person whose account is not stored is asked for it, again after each attempt in which the target rejected it. */
export async function dial(
  dialling: Dialling,
  authorized: Authorized,
  previous?: Attempt,
): Promise<Attempt> {
  const { ports, client, signal } = dialling;
  const { connector, limits } = authorized;
  const asked =
    authorized.login === undefined
      ? await askAccount(dialling, authorized.grant, previous)
      : undefined;
  const grant = asked?.grant ?? authorized.grant;
  const login = asked?.login ?? authorized.login;
  if (!login) throw new Refusal('internal');
  signal.throwIfAborted();
  const { asset } = grant;
  const route: Route = {
    // A program is reached as its server is.
    gateways: await ports.route.gateways(asset.id, grant.database ? 'database_app' : 'asset'),
    target: {
      id: asset.id,
      name: asset.hostname,
      host: asset.ip,
      port: asset.port,
      login,
      allowsOldSsh: asset.allowsOldSsh === true,
      rdpSecurity: asset.rdpSecurity,
      rdpConsole: asset.rdpConsole,
    },
    ...(grant.database && { database: grant.database }),
    hostKeys: ports.hostKeys,
    addresses: ports.addresses,
    timeoutMs: limits.connectSeconds * 1000,
    isSignedIn: ports.isSignedIn?.(),
    onStage: (stage, host) => client.stage(stage, host),
  };
  const rejections = asked && (previous?.rejections === undefined ? 0 : previous.rejections + 1);
  return {
    grant,
    secondFactor: authorized.secondFactor,
    login,
    connector,
    route,
    limits,
    rejections,
  };
}

/** Whether the person may be asked again after a failed attempt: only the target itself rejected a password that the person typed. */
export function mayAskAgain({ rejections, route: { target } }: Attempt, error: unknown): boolean {
  if (rejections === undefined || rejections + 1 >= MAX_REJECTIONS) return false;
  // A gateway's account is not the person's to type.
  return (
    error instanceof Refusal &&
    error.problem.code === 'connect_credentials' &&
    error.problem.params?.host === `${target.host}:${target.port}`
  );
}

async function askAccount(
  dialling: Dialling,
  { systemUser }: Grant,
  previous: Attempt | undefined,
): Promise<{ readonly grant: Grant; readonly login: Login }> {
  const { ports, person, request } = dialling;
  const typed = await askPerson(
    dialling,
    previous?.login.username ?? systemUser.username,
    previous ? 'rejected' : 'manual',
  );
  // What is granted is one account: a person who is asked for its password cannot become another one.
  const login = systemUser.username ? { ...typed, username: systemUser.username } : typed;
  // A person may take minutes to answer; what was allowed then must still be allowed now.
  return {
    grant: await ports.access.check(
      person.userId,
      request.assetId,
      request.systemUserId,
      request.kind,
    ),
    login,
  };
}

async function askPerson(
  { client, signal }: Dialling,
  username: string,
  reason: 'manual' | 'rejected',
): Promise<Login> {
  signal.throwIfAborted();
  const given = await askInTime(client.askCredentials(username, reason), signal);
  return { username: given.username, password: given.password ?? '' };
}

/** Whether a stored account opens its target. A database whose accounts need no login takes what there is, even nothing. */
function isComplete(login: Login, protocol: ProtocolName): boolean {
  const { account, sessionKind } = protocolOf(protocol) ?? {};
  const needsLogin = account?.requiresLogin !== false;
  if (sessionKind === 'query' && !needsLogin) return true;
  return (
    (login.username !== '' || !needsLogin) &&
    (login.password !== undefined || login.privateKey !== undefined)
  );
}
