import { type AssetRequest, REQUEST_FIELDS } from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { readBody } from '../../../http/route.ts';
import { type Caller, displayName } from '../../../platform/actor.ts';
import { databaseClock } from '../../../platform/clock.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { Forbidden, invalid, notFound, Rejected } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Engines } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { LicenseService } from '../../license/index.ts';
import type { TicketMails } from '../mails.ts';
import { makeTicket } from '../store.ts';
import { assetRequestOf, TICKET_TYPE } from './kind.ts';
import type { RequestControl } from './second-decision.ts';
import { assigneesFor, keepRequest, requestFor } from './store.ts';

export interface AssetRequestOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly license: Pick<LicenseService, 'isLicensed'>;
  readonly mails: Pick<TicketMails, 'asked'>;
  readonly control: Pick<RequestControl, 'propose'>;
}

const DAY = 86_400_000;
/** Default and maximum duration of access. */
const USUAL_DAYS = 7;
const MOST_DAYS = 366;

/** Returns the end of access that names none. */
const usualEnd = (start: Date): Date => new Date(start.getTime() + USUAL_DAYS * DAY);

/** @throws Invalid if the end is before the start, or too late */
export function assertDates(start: Date, end: Date): void {
  if (end <= start) throw invalid('date_expired', 'date_order');
  if (end.getTime() - start.getTime() > MOST_DAYS * DAY)
    throw invalid('date_expired', 'request_too_long', { max: MOST_DAYS });
}

/** Returns the dates of access that begins at once. Permissions have whole seconds. */
export function fromNow(minutes: number): { date_start: Date; date_expired: Date } {
  const start = Math.floor(databaseClock.now() / 1_000) * 1_000;
  return { date_start: new Date(start), date_expired: new Date(start + minutes * 60_000) };
}

type Filing = Pick<AssetRequestOptions, 'db' | 'license' | 'audit' | 'mails'>;

/** Creates a request for access, and tells its assignees. @throws Forbidden, Invalid */
export async function createRequest(
  options: AssetRequestOptions,
  context: Context,
): Promise<AssetRequest> {
  const id = await fileRequest(options, context, readRequest(context));
  const created = await requestFor(id, context.actor.userId, options.db);
  if (!created) throw notFound();
  context.reply.code(201);
  return assetRequestOf(created, context);
}

/** A request for a server, filed by a program of the user. */
export interface ProgramRequest {
  readonly title: string;
  readonly hostname: string;
  readonly system_user: string;
  readonly body: string;
  readonly minutes: number;
  /** The name of an organization of the user; blank for the first besides the default one. */
  readonly organization: string;
}

/**
 * Creates the request of a user's program, and tells its assignees. Returns the id of the ticket.
 * @throws Forbidden, Invalid
 */
export async function fileForProgram(
  options: Filing,
  caller: Caller,
  { minutes, organization, ...program }: ProgramRequest,
): Promise<string> {
  const places = await assigneesFor(caller.actor.userId, options.db);
  const place =
    organization === ''
      ? (places.find(({ org_id: id }) => id !== '') ?? places[0])
      : places.find(({ org_name: name }) => name === organization);
  if (!place) throw new Rejected('unknown_object', { value: organization });
  return fileRequest(options, caller, {
    ...program,
    ...fromNow(minutes),
    org_id: place.org_id,
    assignees: [],
    target: 'asset',
    application: '',
    is_read_only: false,
    ips: [],
    actions: ['connect'],
  });
}

/** Stores a request, and tells its assignees. Returns the id of its ticket. */
async function fileRequest(
  options: Filing,
  caller: Caller,
  request: ReturnType<typeof readRequest>,
): Promise<string> {
  const { db, license, audit, mails } = options;
  if (!license.isLicensed()) throw new Forbidden('license_required');
  const { actor } = caller;
  const { organization, assignees } = await findAssignees(options, caller, request);
  return transact(db, async (tx) => {
    const { title, body } = request;
    const id = await makeTicket(
      {
        userId: actor.userId,
        display: displayName(actor),
        title,
        body,
        type: TICKET_TYPE[request.target],
        assignees,
      },
      tx,
    );
    await keepRequest(id, request, tx);
    await audit(
      tx,
      { actor: { ...actor, organization } },
      { action: 'create', resourceType: 'ticket', resource: title, resourceId: id },
    );
    await mails.asked(id, [], caller, tx);
    return id;
  });
}

/** Returns the organization of a request, and the administrators who answer it. @throws Invalid */
async function findAssignees(
  { db }: Filing,
  { actor }: Caller,
  { org_id, assignees: chosen }: ReturnType<typeof readRequest>,
) {
  const places = await assigneesFor(actor.userId, db);
  const place = places.find((one) => one.org_id === org_id);
  if (!place) throw invalid('org_id', 'unknown_object', { value: org_id });
  const possible = place.org_admins.map(({ id }) => id);
  const assignees = chosen.length > 0 ? chosen : possible;
  if (assignees.some((id) => !possible.includes(id)))
    throw invalid('assignees', 'request_not_administrator');
  if (assignees.length === 0) throw invalid('assignees', 'list_empty');
  return { organization: { id: place.org_id, name: place.org_name }, assignees };
}

/** Reads a request with its defaults. @throws Invalid */
function readRequest(context: Context) {
  const fields = readBody(context, REQUEST_FIELDS);
  const {
    system_user = '',
    actions = ['connect'],
    assignees = [],
    org_id = context.actor.organization.id,
    body = '',
  } = fields;
  const { target = 'asset' } = fields;
  // Ignores fields of the other kind.
  const { ips = [], hostname = '' } = target === 'asset' ? fields : {};
  const { application = '' } = target === 'asset' ? {} : fields;
  if (target === 'asset' && ips.length === 0 && hostname === '')
    throw invalid('hostname', 'request_no_host');
  if (target !== 'asset' && application === '') throw invalid('application', 'request_no_app');
  const is_read_only = target === 'database_app' && fields.is_read_only === true;
  const date_start = fields.date_start ?? databaseClock.date();
  const date_expired = fields.date_expired ?? usualEnd(date_start);
  assertDates(date_start, date_expired);
  if (date_expired <= databaseClock.date()) throw invalid('date_expired', 'date_order');
  const what = [application, hostname, ...ips].filter(Boolean).join(', ').slice(0, 200);
  return {
    title: fields.title || what,
    org_id,
    assignees,
    target,
    application,
    is_read_only,
    ips,
    hostname,
    system_user,
    actions,
    date_start,
    date_expired,
    body,
  };
}
