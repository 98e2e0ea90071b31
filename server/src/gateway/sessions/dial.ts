import {
  type ErrorCode,
  type ProtocolName,
  protocolOf,
  readSerialLine,
  type SessionKind,
} from '@sallyport/contract';
import { patternProblem, patternTest } from '../../platform/pattern.ts';
import { type Grant, type TargetKind, targetOf } from '../ports/grant.ts';
import type { Person } from '../ports/people.ts';
import type { NewSession } from '../ports/records.ts';
import type { GatewayPorts, LimitValues, Login, Opening } from '../ports.ts';
import type { Connector, Route } from '../protocols/connector.ts';
import { CONNECTORS, connectorFor } from '../protocols/index.ts';
import { Refusal } from '../refusal.ts';
import { requireApproval } from './require-approval.ts';
import { askInTime, requireFactor } from './require-factor.ts';
import { requireInteractive } from './require-interactive.ts';
import type { SessionClient } from './session-client.ts';

/** Maximum number of passwords that the target may reject in one attempt. */
const MAX_REJECTIONS = 3;

export interface ConnectionRequest {
  /** Id of the asset, or of the application if `kind` names one. */
  readonly assetId: string;
  readonly kind?: TargetKind | undefined;
  readonly systemUserId: string;
  /** The protocol that the client expects. Any protocol of the account if absent. */
  readonly protocol?: ProtocolName | undefined;
  /** The opening, if the name of the target was resolved together with it. */
  readonly early?: EarlyOpening | undefined;
}

/** An opening from before its attempt, for the first check of the attempt only. */
export interface EarlyOpening {
  /** The changes of the hub before the read. */
  readonly changes: number;
  /** Checks sign-in and permission. @throws Refusal */
  readonly open: () => Promise<Opening>;
}

export interface Dialing {
  readonly ports: GatewayPorts;
  readonly person: Person;
  readonly request: ConnectionRequest;
  readonly client: SessionClient;
  /** Available connectors; all by default. */
  readonly connectors?: readonly Connector[];
  /** Aborts the attempt: the user left, or the server stops. */
  readonly signal: AbortSignal;
}

/** The access of a user, resolved before we ask for a password. */
export interface Authorized {
  readonly grant: Grant;
  readonly secondFactor: NewSession['secondFactor'];
  /** The ticket that approved the connection; undefined without one. */
  readonly approvedBy: string | undefined;
  readonly connector: Connector;
  readonly limits: LimitValues;
  /** The stored account. `undefined` if we must ask the user. */
  readonly login: Login | undefined;
  readonly opening: Opening;
}

/** One attempt to reach a target: fully resolved, not connected yet. */
export interface Attempt {
  readonly grant: Grant;
  readonly secondFactor: NewSession['secondFactor'];
  /** The ticket that approved the connection; undefined without one. */
  readonly approvedBy: string | undefined;
  readonly login: Login;
  readonly connector: Connector;
  readonly route: Route;
  readonly limits: LimitValues;
  /**
   * Number of passwords that the target has rejected so far; `undefined` if we did not ask the
   * user.
   */
  readonly rejections: number | undefined;
}

/** Checks the permission and finds the connector and the stored account. @throws Refusal */
export async function authorize(
  { ports, person, request, client, signal, connectors = CONNECTORS }: Dialing,
  { kind, isInteractive }: { readonly kind: SessionKind; readonly isInteractive?: boolean },
): Promise<Authorized> {
  client.stage('checking');
  const check = () => readOpening({ ports, person, request });
  const first = await (request.early?.open() ?? check());
  const { systemUser } = first.grant;
  if (request.protocol !== undefined && request.protocol !== systemUser.protocol)
    throw new Refusal('connect_protocol', { protocol: request.protocol });
  requireInteractive(first.grant, isInteractive);
  if (first.grant.secondPerson && !(await ports.secondPersons?.hasAny({ person, ...first })))
    throw new Refusal('connect_second_person_nobody');
  const connector = connectorFor(systemUser.protocol, kind, connectors);
  const secondFactor = await requireFactor({ ports, person, client, signal }, first.grant);
  const approval = await requireApproval({ ports, person, client, signal }, first.grant);
  // The user may take minutes to answer, and a reviewer to decide, so check the permission again.
  const opening = secondFactor === 'asked' || approval.hasWaited ? await check() : first;
  if (opening.grant.approval && !first.grant.approval) throw new Refusal('connect_approval_needed');
  const authorized = {
    grant: opening.grant,
    secondFactor,
    approvedBy: approval.ticketId,
    connector,
    limits: await ports.limits.read(),
    opening,
  };
  if (systemUser.isOpen)
    return { ...authorized, login: { username: systemUser.username, isOpen: true } };
  const stored = systemUser.loginMode === 'manual' ? undefined : await opening.login();
  if (opening.grant.systemUser.switchMethod)
    return { ...authorized, login: requireSwitch(stored, systemUser.protocol) };
  // The grant has the name even if the account uses the user's own name.
  const login = stored && { ...stored, username: systemUser.username || stored.username };
  return {
    ...authorized,
    login: login && isComplete(login, systemUser.protocol) ? login : undefined,
  };
}

/** Returns an account that can sign in and switch. @throws Refusal */
function requireSwitch(login: Login | undefined, protocol: ProtocolName): Login {
  const { switchTo } = login ?? {};
  const hasPassword = switchTo?.method === 'sudo' || switchTo?.password !== undefined;
  if (!login || !switchTo || !hasPassword || !isComplete(login, protocol))
    throw new Refusal('connect_switch_secret');
  return login;
}

/** Checks sign-in and permission, and reads what is needed to connect. @throws Refusal */
async function readOpening({
  ports,
  person,
  request: { assetId, systemUserId, kind },
}: Pick<Dialing, 'ports' | 'person' | 'request'>): Promise<Opening> {
  const atOnce = await ports.openings?.read(person, assetId, systemUserId, kind);
  if (atOnce) return atOnce;
  const { access, credentials, route, hostKeys } = ports;
  if (person.loginId && !(await access.isSignedIn(person.loginId)))
    throw new Refusal('session_signed_out');
  const grant = await access.check(person, assetId, systemUserId, kind);
  const { asset, systemUser } = grant;
  return {
    grant,
    login: () => credentials.open(systemUser.id, asset.id, systemUser.username),
    // The domain of a database or cluster provides its gateways.
    gateways: () => route.gateways(asset.id, grant.remoteApp ? 'asset' : targetOf(grant).kind),
    hostKeys,
  };
}

/**
 * Prepares an attempt. Asks the user for an account that is not stored, and again after each
 * attempt in which the target rejected it.
 */
export async function dial(
  dialing: Dialing,
  authorized: Authorized,
  previous?: Attempt,
): Promise<Attempt> {
  const { ports, client, signal } = dialing;
  const { connector, limits } = authorized;
  const answer =
    authorized.login === undefined
      ? await askAccount(dialing, authorized.grant, previous)
      : undefined;
  const opening = answer?.opening ?? authorized.opening;
  const { grant } = opening;
  const login = answer?.login ?? authorized.login;
  if (!login) throw new Refusal('internal');
  signal.throwIfAborted();
  const { asset } = grant;
  const route: Route = {
    gateways: await opening.gateways(),
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
    ...(grant.cluster && { cluster: grant.cluster }),
    charset: asset.charset,
    hostKeys: opening.hostKeys,
    addresses: ports.addresses,
    timeoutMs: limits.connectSeconds * 1000,
    ...promptsOf(grant, ports),
    onStage: (stage, host) => client.stage(stage, host),
  };
  const rejections = answer && (previous?.rejections === undefined ? 0 : previous.rejections + 1);
  return {
    grant,
    secondFactor: authorized.secondFactor,
    approvedBy: authorized.approvedBy,
    login,
    connector,
    route,
    limits,
    rejections,
  };
}

/** The expressions of an account, else of the settings, and its serial line. */
function promptsOf(
  { systemUser: { telnet } }: Grant,
  ports: GatewayPorts,
): Pick<Route, 'prompts' | 'serialLine'> {
  // Expressions stored by an import may be invalid.
  const test = (pattern = '') =>
    pattern === '' || patternProblem(pattern) ? undefined : patternTest(pattern);
  return {
    prompts: {
      username: test(telnet?.username),
      password: test(telnet?.password),
      success: test(telnet?.success) ?? ports.isSignedIn?.(),
      failure: test(telnet?.failure),
    },
    serialLine: readSerialLine(telnet?.line ?? ''),
  };
}

const MAY_BE_MISTYPED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'connect_credentials',
  'connect_sign_in_closed',
]);

/**
 * Returns true if the user may retry: the target itself rejected a password that the user typed.
 */
export function mayAskAgain({ rejections, route: { target } }: Attempt, error: unknown): boolean {
  if (rejections === undefined || rejections + 1 >= MAX_REJECTIONS) return false;
  // The account of a gateway is not the user's, so there is nothing to retype.
  return (
    error instanceof Refusal &&
    MAY_BE_MISTYPED.has(error.problem.code) &&
    error.problem.params?.host === `${target.host}:${target.port}`
  );
}

async function askAccount(
  dialing: Dialing,
  { systemUser }: Grant,
  previous: Attempt | undefined,
): Promise<{ readonly opening: Opening; readonly login: Login }> {
  const typed = await askPerson(
    dialing,
    previous?.login.username ?? systemUser.username,
    previous ? 'rejected' : 'manual',
  );
  // The grant is for one account: the user may type its password, not another name.
  const login = systemUser.username ? { ...typed, username: systemUser.username } : typed;
  // The user may take minutes to answer, so check the permission again.
  return { opening: await readOpening(dialing), login };
}

async function askPerson(
  { client, signal }: Dialing,
  username: string,
  reason: 'manual' | 'rejected',
): Promise<Login> {
  signal.throwIfAborted();
  const answer = await askInTime(client.askCredentials(username, reason), signal);
  return { username: answer.username, password: answer.password ?? '' };
}

/**
 * Returns true if a stored account is enough to sign in. A database that requires no sign-in
 * accepts an empty account.
 */
function isComplete(login: Login, protocol: ProtocolName): boolean {
  const { account, sessionKind } = protocolOf(protocol) ?? {};
  const needsLogin = account?.requiresLogin !== false;
  if (sessionKind === 'query' && !needsLogin) return true;
  return (
    (login.username !== '' || !needsLogin) &&
    (login.password !== undefined || login.privateKey !== undefined || login.certify !== undefined)
  );
}
