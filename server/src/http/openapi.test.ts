import { emergencyAccess, Permission, RESOURCES, user } from '@sallyport/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import {
  createSchemaCheck,
  type DescribedOperation,
  operationsOf,
  type RawDescription,
} from '../testing/api-description.ts';
import type { Answer, Client } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { exampleId, exampleInput } from './openapi/examples.ts';
import type { DeclaredRoute } from './route.ts';

let test: TestProgram;
let description: RawDescription;
let operations: DescribedOperation[];
/** The routes of the program by method and template. */
let declarations: ReadonlyMap<string, DeclaredRoute>;
let fits: ReturnType<typeof createSchemaCheck>;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  description = (await admin.get<RawDescription>('/api/docs/openapi.json')).body;
  operations = operationsOf(description);
  fits = createSchemaCheck(description);
  declarations = new Map(
    test.program.app.routes.map((route) => [
      `${route.method} ${route.url.replace(/:(\w+)/g, '{$1}')}`,
      route,
    ]),
  );
});
afterAll(() => test.stop());

describe('the description', () => {
  it('validates as OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(
      JSON.parse(JSON.stringify(description)),
    );
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('names each operation once', () => {
    expect(operations.length).toBeGreaterThan(150);
    const ids = operations.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-zA-Z0-9]+$/.test(id))).toEqual([]);
  });

  it('describes every route', () => {
    const described = new Set(operations.map(({ method, template }) => `${method} ${template}`));
    const missing = test.program.app.routes.filter(
      ({ method, url, socket }) =>
        url.startsWith('/api/v1/') &&
        !socket &&
        method !== 'HEAD' &&
        !described.has(`${method} ${url.replace(/:(\w+)/g, '{$1}')}`),
    );
    expect(missing).toEqual([]);
  });

  it('contains a valid example of every request and answer', () => {
    const wrong: string[] = [];
    for (const { id, sent, answers, parameters } of operations) {
      const isEmpty = [...answers.keys()].some((status) => status === '204');
      const all = [...sent, ...[...answers.values()].flat()];
      const success = [...answers].find(([status]) => status.startsWith('2'))?.[1] ?? [];
      // Routes declare their answer by `answer`, their input by `body` or `bodyShape`.
      if (!isEmpty && success.length === 0) wrong.push(`${id}: nothing is said of its answer`);
      for (const { type, schema, examples } of all) {
        if (examples.length === 0) wrong.push(`${id}: no example`);
        for (const example of examples) {
          const problem = type.includes('json')
            ? fits(schema, example)
            : typeof example === 'string'
              ? undefined
              : 'no text';
          if (problem) wrong.push(`${id}: ${problem}`);
        }
      }
      for (const { name, schema, example } of parameters) {
        const problem = example === undefined ? undefined : fits(schema, example);
        if (problem) wrong.push(`${id} ${name}: ${problem}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** Operations without a description of input and answer. */
const UNDESCRIBED: readonly string[] = [];

/** Examples that cannot succeed on a new server, with their status and the reason. */
const REFUSED: readonly (readonly [operation: RegExp, status: number, reason: string])[] = [
  [/^(postApiV1ChangeSets|putApiV1ChangeControl)$/, 409, 'a second administrator is missing'],
  [/^(get|post)ApiV1ChangeSetsId/, 404, 'nothing was proposed'],
  [/^(get|post)ApiV1CommonImportsId(Undo)?$/, 404, 'no file was imported'],
  [/^postApiV1SettingsScimTokensIdApprove$/, 404, 'no token has the id of the example'],
  [/^postApiV1TerminalSessionsIdInterventions$/, 409, 'the session has ended'],
  [/^getApiV1TerminalCommandsIdUndoScript$/, 404, 'the statement has no undo script'],
  [/^postApiV1Audits(AlertsSeen|LostChangesSettled)$/, 400, 'the ids are examples'],
  [/^putApiV1TicketsDeputy$/, 400, 'no user has the username of the example'],
  [/^getApiV1UsersNotificationsId$/, 404, 'nothing has happened for the caller'],
  [/^(put|patch)ApiV1UsersUsersIdPubkeyReset$/, 400, 'there is no mail server'],
  [/^(get|put|patch|delete).*RelationsId$/, 404, 'pairs are numbered by the database'],
  [/^(put|patch)ApiV1\w+Relations$/, 400, 'pairs are numbered by the database'],
  [/^postApiV1\w+Relations$/, 400, 'the pair is there already: the object was made with it'],
  [
    /^deleteApiV1Perms(Asset|RemoteApp|DatabaseApp)Permissions\w+Relations$/,
    404,
    'the rule names others',
  ],
  [
    /^deleteApiV1Perms(Asset|RemoteApp|DatabaseApp)PermissionsSystemUsersRelations$/,
    400,
    'a rule keeps one account',
  ],
  [
    /^postApiV1CommonResourcesMatching$/,
    403,
    'the examples of users are sent by one, who reads no assets',
  ],
  [/^postApiV1CommonResourcesBulk$/, 400, 'names of sets are made by the server'],
  [/^postApiV1AuthenticationDevice(Token|Find|Confirm|Deny)$/, 400, 'no device waits'],
  [/^postApiV1TerminalDatabasesPasswords$/, 403, 'no database is granted'],
  [/^postApiV1PermsUsersClusters(Kubeconfig|Visits)$/, 403, 'no cluster is granted'],
  [/^getApiV1PermsUsersClustersVisitsId/, 404, 'no page is connected to a cluster'],
  [/^postApiV1ApplicationsClustersIdTest$/, 400, 'the account of the example is for SSH'],
  [/^getApiV1TerminalSessionsIdReplay/, 404, 'nothing was recorded'],
  [/^getApiV1AuditsEvidenceId$/, 404, 'no session was opened'],
  [/^getApiV1AuditsEvidence(Preview)?$/, 404, 'no log has an entry of the period'],
  [/^postApiV1Assets(System|Admin)UsersIdPreviousSecret$/, 409, 'no secret was changed'],
  [/^(get|patch|delete)ApiV1TerminalOwnSessionsIdInvitations/, 404, 'no terminal is open'],
  [/^postApiV1Terminal(OwnSessionsIdInvitations|InvitationsAccept)$/, 403, 'the setting is off'],
  [/^(get|options)ApiV1AssetsSystemUsersSystemUserPushesId$/, 404, 'nothing was pushed'],
  [/^postApiV1AssetsGatewaysIdTestConnective$/, 400, 'no gateway is at this address'],
  [/^deleteApiV1AssetsHostKeysId$/, 404, 'keys are pinned by connections'],
  [/^postApiV1AssetsHostKeysIdAccept$/, 404, 'no other key was offered'],
  [/^postApiV1SettingsScimTesting$/, 400, 'SCIM is off'],
  [/^postApiV1SettingsScimTokens$/, 400, 'the moment of the example has passed'],
  [/^postApiV1SettingsCasTesting$/, 400, 'no server is there'],
  [/^deleteApiV1SettingsScimTokensId$/, 404, 'ids of tokens are made by the server'],
  [/^postApiV1SettingsSamlTesting$/, 400, 'no provider is there'],
  [/^postApiV1SettingsOpenidTesting$/, 400, 'no provider is there'],
  [/^postApiV1SettingsRadiusTesting(Config|Login)$/, 400, 'no RADIUS server is there'],
  [/^postApiV1UsersUsersInvite$/, 400, 'everybody belongs to the default organization'],
  [
    /^(get|put|patch|delete)ApiV1Authentication(Access|Ssh)Keys(Id)?( \(file\))?$/,
    404,
    'ids of keys are made by the server',
  ],
  [
    /^(put|patch)ApiV1AuthenticationAccessKeys( \(file\))?$/,
    400,
    'ids of keys are made by the server',
  ],
  [
    /^(get|options|put|patch|delete)ApiV1TicketsTicketsId$/,
    404,
    'only users above organizations choose ids',
  ],
  [
    /^(put|patch|delete)ApiV1TicketsTickets( \(file\))?$/,
    400,
    'only users above organizations choose ids',
  ],
  [
    /^(get|options|post)ApiV1TicketsTicketsTicketComments(Id)?( \(file\))?$/,
    404,
    'no ticket has this id',
  ],
  [
    /^postApiV1XpackCloudSyncInstanceTasksIdInstancesInstanceTake$/,
    404,
    'no instance was left out',
  ],
  [/^\w+ApiV1TicketsEmergencyId\w*$/, 404, 'nothing was opened'],
  [
    /^postApiV1PermsUsersEmergencyAccess$/,
    409,
    'the user of the examples is the only reviewer, and no auditor any more',
  ],
  [
    /^(put|patch)ApiV1PermsEmergencyAccess(Id)?( \(file\))?$/,
    400,
    'the reviewer of the example is no auditor any more',
  ],
  [/^\w+ApiV1TicketsRequestAssetPermId\w*$/, 404, 'no request has this id'],
  [/^postApiV1TicketsRequestAssetPerm$/, 400, 'the user of the examples grants nothing'],
  [
    /^(put|patch)ApiV1AuthenticationLoginConfirmSettingsId$/,
    404,
    'no user has the id of the example',
  ],
  [
    /^(get|put|patch|delete)ApiV1TerminalSnippetsId$/,
    404,
    'only users above organizations choose ids',
  ],
  [
    /^(put|patch)ApiV1TerminalSnippets( \(file\))?$/,
    400,
    'only users above organizations choose ids',
  ],
  [
    /^getApiV1Perms(RemoteApp|DatabaseApp|Cluster)PermissionsUserValidate$/,
    403,
    'the system user of the examples is for ssh',
  ],
  [/^\w+ApiV1AuthenticationPasskeysId$/, 404, 'a passkey needs a device'],
  [/^postApiV1Authentication\w*Passkey\w*$/, 400, 'a passkey needs a device'],
  [/^postApiV1Authentication\w*Passkey\w*$/, 403, 'passkeys are for the pages of the server'],
  [/^postApiV1Authentication(Mfa|Otp)\w+$/, 400, 'nobody has a second factor yet'],
  [/^postApiV1AuthenticationPasswordChallenge$/, 400, 'no server asked a question'],
  [/^postApiV1Authentication(Auth|Tokens)$/, 400, 'an example before has changed the password'],
  [/^patchApiV1UsersProfilePassword$/, 400, 'an example before has changed the password'],
  [/^(put|patch)ApiV1UsersUsersIdPasswordReset$/, 400, 'no mail server is set up'],
  [/^postApiV1Users\w*IdentitiesEnd$/, 400, 'nobody came through a provider'],
  [/^deleteApiV1Users\w*SignIns/, 404, 'sign-ins come and go'],
  [/^(post|delete)ApiV1Users\w*Invitations\w+$/, 404, 'nobody is invited'],
  [/^deleteApiV1UsersUsersIdAccessKeysKey$/, 404, 'ids of keys are made by the server'],
  [/^postApiV1AssetsGatewaysIdInstallKey$/, 400, 'the gateway of the example is no site'],
  [/^postApiV1AssetsSitesJoin$/, 400, 'install keys are made by the server'],
  [/^getApiV1AgentsAgentsId$/, 404, 'ids of agents are made by the server'],
  [/^getApiV1AgentsConsentsId$/, 404, 'no program waits for a decision'],
  [/^postApiV1AgentsConsentsIdDeny$/, 400, 'no program waits for a decision'],
  [/^getApiV1AgentsCallsId$/, 404, 'no agent has called a tool'],
  [/^postApiV1SettingsMailTesting$/, 400, 'no mail server answers'],
  [/^postApiV1SettingsLdap/, 400, 'no directory answers'],
  [/^postApiV1SettingsLdapReadingConfirm$/, 409, 'no read waits for a confirmation'],
  [/^getApiV1SettingsLdapUsers$/, 409, 'the directory has to be read first'],
  [/^postApiV1XpackLicenseImport$/, 400, 'a license is signed for one installation'],
  [/^postApiV1XpackLicenseIssue$/, 400, 'the key of another issuer is configured'],
  [
    /^(post|delete)ApiV1AssetsSystemUsers\w+Relations$/,
    400,
    'permissions give system users their objects',
  ],
  [/^postApiV1OpsAdhocExecutionsIdRetryFailed$/, 409, 'no host failed'],
  [/^getApiV1OpsCeleryTaskId/, 404, 'people see the jobs that they started'],
  [/^(get|post)ApiV1CommonJobsId/, 404, 'people see the jobs that they started'],
  [
    /^(get|post)ApiV1OpsCommandExecutionsId/,
    404,
    'people see the batch commands that they started',
  ],
  [/^\w+ApiV1FilesAssetAccount/, 403, 'nothing is granted to the caller of the examples'],
  [/^\w+ApiV1FilesAssetAccountUploadsUpload$/, 400, 'ids of uploads are made by clients'],
  [/^deleteApiV1Terminal(Command|Replay)StoragesId$/, 409, 'a terminal names it'],
  [
    /^\w+ApiV1AssetsAssetUser(s|AuthInfos)Id(Restore|SetOnServer)?$/,
    404,
    'ids of versions are made by the server',
  ],
  [/^patchApiV1OpsCeleryPeriodTasksId$/, 404, 'ids are those of tasks'],
  [/^deleteApiV1AssetsAssetUsers$/, 400, 'they are deleted one by one'],
  [
    /^\w+ApiV1Assets(AssetUserAuthInfos|SystemUsersId(AssetsAsset)?AuthInfo)$/,
    403,
    'no second factor was proved',
  ],
  [/^(get|options)ApiV1AssetsGatheredUsersId$/, 404, 'no server was read'],
  [
    /^(get|options)ApiV1XpackGatheredUserTaskExecution(s|Results)Id$/,
    404,
    'ids of runs are those of jobs',
  ],
  [
    /^(get|put|options)ApiV1XpackChangeAuthPlanPlanExecution(Subtask)?Id$/,
    404,
    'ids of runs are those of jobs',
  ],
  [
    /^(get|options)ApiV1XpackCloudSyncInstanceTasksTask(History|Instances)Id$/,
    404,
    'ids of runs are those of jobs, and of instances those of rows',
  ],
  [/^getApiV1XpackCloudRegions$/, 400, 'no provider answers'],
  [
    /^getApiV1(AccountsAccounts|Assets(Hosts|Databases|Zones))Id$/,
    404,
    'the examples of versions 3 and 4 name no object of version 2.1',
  ],
  [/^postApiV1CommonDeletedObjectsIdRestore$/, 409, 'the document of the example is not sealed'],
  [/^deleteApiV1AssetsNodesId$/, 403, 'other examples put something on the node'],
];

function declarationOf({ method, template }: DescribedOperation): DeclaredRoute {
  const declared = declarations.get(`${method} ${template}`);
  if (!declared) throw new Error(`${method} ${template} is described and does not exist`);
  return declared;
}

/** Returns true for operations of resources and for routes that declare their answer. */
function isDescribed(operation: DescribedOperation): boolean {
  const { answer, status } = declarationOf(operation);
  return (
    answer !== undefined ||
    status !== undefined ||
    RESOURCES.some(({ path }) =>
      [`/api/v1/${path}/`, `/api/v1/${path}/{id}/`].includes(operation.template),
    )
  );
}

it('describes the answer of every route that is no resource, by `answer` or `status`', () => {
  expect(operations.filter((operation) => !isDescribed(operation)).map(({ id }) => id)).toEqual(
    UNDESCRIBED,
  );
});

describe('a running server', () => {
  /** The user of the examples, with the grants that the examples name. */
  let exampleUser: Client | undefined;
  const answered = new Map<string, number>();
  const wrong: string[] = [];

  const isOwn = (operation: DescribedOperation) =>
    [Permission.USE, 'signed-in'].some((access) => declarationOf(operation).access === access);
  const clientFor = (operation: DescribedOperation): Client => {
    if (declarationOf(operation).access === 'public') return test.visitor;
    return isOwn(operation) && exampleUser ? exampleUser : admin;
  };

  async function replay(operation: DescribedOperation): Promise<void> {
    const { id, method, path, sent } = operation;
    const client = clientFor(operation);
    const bodies = sent.flatMap(({ type, examples }) =>
      examples.map((example) => ({ type, example })),
    );
    // Send files first, as dry runs: the other examples create the same rows.
    bodies.sort((a, b) => Number(b.type === 'text/csv') - Number(a.type === 'text/csv'));
    if (bodies.length === 0) judge(operation, await client.request(method, path), id);
    for (const { type, example } of bodies) {
      const isFile = type === 'text/csv';
      const address = isFile ? `${path}${path.includes('?') ? '&' : '?'}dry_run=1` : path;
      const body =
        typeof example === 'string' && !type.includes('json') ? example : JSON.stringify(example);
      // The first line of a form contains its boundary.
      const sentAs = type.startsWith('multipart/')
        ? `${type}; boundary=${body.slice(2, body.indexOf('\r\n'))}`
        : type;
      const answer = await client.send(method, address, body, sentAs);
      judge(operation, answer, isFile ? `${id} (file)` : id);
      if (idsCreatedBy(operation).length > 0 && !isFile && answer.status >= 300)
        wrong.push(`${id} made nothing: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  }

  function judge(
    { answers }: DescribedOperation,
    { status, headers, body, text }: Answer<unknown>,
    id: string,
  ): void {
    answered.set(id, status);
    const declared = answers.get(String(status));
    if (!declared)
      wrong.push(`${id} answered ${status}, which it does not declare: ${text.slice(0, 200)}`);
    const type = headers.get('content-type')?.split(';')[0];
    const content = declared?.find((candidate) => candidate.type === type);
    if (declared && declared.length > 0 && !content)
      wrong.push(`${id} answered ${status} with ${type}`);
    const problem = content && /\bjson\b/.test(type ?? '') ? fits(content.schema, body) : undefined;
    if (problem) wrong.push(`${id} answered ${status} with another body than declared: ${problem}`);
  }

  /** Returns the ids that the examples of an operation create. */
  const idsCreatedBy = ({ method, template, sent }: DescribedOperation): string[] => {
    if (method !== 'POST' || template.includes('{')) return [];
    return (sent.flatMap(({ examples }) => examples).flat() as { id?: string }[]).flatMap(
      ({ id }) => id ?? [],
    );
  };

  it('answers every example as the description says', async () => {
    await seed(test);
    /** Ids created so far. An example runs after the examples that it refers to. */
    const created = new Set<string>();
    const ids = operations.flatMap(idsCreatedBy);
    let creations = operations.filter((operation) => idsCreatedBy(operation).length > 0);
    while (creations.length > 0) {
      const ready = creations.filter((operation) => {
        const text = JSON.stringify(operation.sent);
        if (isOwn(operation) && !created.has(exampleId('user'))) return false;
        return ids.every(
          (id) => created.has(id) || idsCreatedBy(operation).includes(id) || !text.includes(id),
        );
      });
      expect(
        ready.length,
        `these wait for each other: ${creations.map(({ id }) => id)}`,
      ).toBeGreaterThan(0);
      for (const operation of ready) {
        // Reviewers must be auditors; the user of the other examples is none.
        const isReviewed = operation.template === `/api/v1/${emergencyAccess.path}/`;
        if (isReviewed) await setRole(test, 'Auditor');
        await replay(operation);
        if (isReviewed) await setRole(test, 'User');
        for (const id of idsCreatedBy(operation)) created.add(id);
        if (!exampleUser && created.has(exampleId('user')))
          exampleUser = await bearer(test, {
            username: 'li.wei',
            password: String(exampleInput(user).password),
          });
      }
      creations = creations.filter((operation) => !ready.includes(operation));
    }
    const rest = operations.filter(
      (operation) => idsCreatedBy(operation).length === 0 && isDescribed(operation),
    );
    const inTurn = async (some: readonly DescribedOperation[], methods: readonly string[]) => {
      for (const method of methods)
        for (const operation of some.filter((found) => found.method === method))
          await replay(operation);
    };
    // Requests of the user first: administrators delete objects.
    await inTurn(rest.filter(isOwn), ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
    const others = rest.filter((operation) => !isOwn(operation));
    // A POST of this turn creates the objects of nested paths.
    await inTurn(others, ['POST', 'OPTIONS', 'GET', 'PUT', 'PATCH']);
    // Delete pairs first, then objects in reverse order of creation, and nested objects before
    // their parents.
    const order = [...created];
    const place = ({ path, template }: DescribedOperation) =>
      RESOURCES.some(
        (resource) =>
          template.startsWith(`/api/v1/${resource.path}/`) && !template.includes('membership'),
      )
        ? order.findIndex((id) => path.includes(id))
        : order.length;
    const depth = (operation: DescribedOperation) =>
      place(operation) < order.length ? operation.template.length : 0;
    others.sort((one, other) => place(other) - place(one) || depth(other) - depth(one));
    // Delete the license last: its features need it.
    const isLicense = ({ template }: DescribedOperation) =>
      template.startsWith('/api/v1/xpack/license/');
    await inTurn(
      others.toSorted((one, other) => Number(isLicense(one)) - Number(isLicense(other))),
      ['DELETE'],
    );
    expect(wrong).toEqual([]);
    const refused = [...answered].filter(([, status]) => status >= 300);
    expect(
      refused.filter(
        ([id, status]) =>
          !REFUSED.some(([operation, answer]) => operation.test(id) && answer === status),
      ),
    ).toEqual([]);
  });

  it('accepts every filter of every list as its schema says', async () => {
    for (const { method, template, parameters } of operations.filter(
      ({ template: path }) => !path.includes('{'),
    )) {
      if (method !== 'GET' || !parameters.some(({ name }) => name === 'spm')) continue;
      // One request for all of them: each is read before the rows are.
      const query = new URLSearchParams(
        parameters
          .filter(
            ({ in: place, name, example }) =>
              place === 'query' && example === undefined && name !== 'spm',
          )
          .map(({ name, schema }): [string, string] => [name, valueFor(schema)]),
      );
      const { status, text } = await admin.get(`${template}?${query}`);
      expect(status, `${template}?${query} answered ${text.slice(0, 200)}`).toBe(200);
    }
  });
});

function valueFor({
  type,
  format,
  pattern,
  enum: values,
}: {
  type?: unknown;
  format?: unknown;
  pattern?: unknown;
  enum?: unknown[];
}): string {
  if (values) return String(values[0]);
  if (format === 'uuid') return exampleId('nothing');
  if (pattern) return '2026-01-31 08:30:00 +0800';
  return [type].flat().includes('integer') ? '1' : [type].flat().includes('boolean') ? 'true' : '';
}

async function setRole({ db }: TestProgram, role: 'Auditor' | 'User'): Promise<void> {
  await sql`update account set role = ${role} where id = any (${[1, 2].map((variant) => exampleId('user', variant as 1 | 2))}::uuid[])`.execute(
    db,
  );
}

/** Inserts rows that no request can create. */
async function seed({ db }: TestProgram): Promise<void> {
  const names = { user: 'Li Wei(li.wei)', asset: 'web-prod-01', system_user: 'deploy(deploy)' };
  const insert = async (table: string, values: Record<string, unknown>) => {
    const columns = Object.entries(values);
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map(([name]) => sql.ref(name)))}) values (${sql.join(columns.map(([, value]) => value))})`.execute(
      db,
    );
  };
  for (const variant of [1, 2])
    await insert('terminal', {
      id: exampleId('terminal', variant),
      name: `bastion-${variant}`,
      holder: `server ${variant}`,
    });
  await insert('session', { id: exampleId('session'), org_id: '', ...names });
  await insert('command', {
    id: exampleId('command'),
    org_id: '',
    session: exampleId('session'),
    sequence: 1,
    ...names,
    input: 'df -h',
  });
  await insert('operate_log', {
    id: exampleId('operate_log'),
    org_id: '',
    user: 'admin',
    action: 'create',
    resource_type: 'label',
    resource: 'x',
    remote_addr: '192.0.2.1',
  });
  await insert('ftp_log', {
    id: exampleId('ftp_log'),
    org_id: '',
    ...names,
    remote_addr: '192.0.2.1',
    operate: 'Upload',
    filename: '/x',
    is_success: true,
  });
  await insert('command_execution', {
    id: exampleId('command_execution_log'),
    org_id: '',
    user_display: names.user,
    run_as_id: exampleId('system_user'),
    run_as_display: names.system_user,
    command: 'df -h',
    hosts_amount: 1,
    is_finished: true,
  });
  await insert('command_execution_host', {
    id: exampleId('command_execution_host'),
    org_id: '',
    commandexecution_id: exampleId('command_execution_log'),
    position: 1,
    asset_id: exampleId('asset'),
    hostname: names.asset,
    ip: '192.0.2.1',
    asset_display: names.asset,
  });
  const task = {
    id: exampleId('ops_task'),
    org_id: '',
    job: 'test-assets',
    key: 'asset',
    name: 'Test',
    words: 'test',
    input: '{"kind":"assets","ids":[]}',
  };
  await insert('ops_task', task);
  await insert('ops_task', { ...task, id: exampleId('ops_task', 2), key: 'another' });
  await insert('adhoc', {
    id: exampleId('adhoc'),
    task_id: task.id,
    tasks: '[]',
    hosts_digest: '',
    hosts: '{}',
    hosts_amount: 0,
    run_as_admin: true,
  });
  await insert('adhoc_execution', {
    id: exampleId('adhoc_execution'),
    task_id: task.id,
    adhoc_id: exampleId('adhoc'),
    hosts_amount: 1,
    is_finished: true,
  });
  await insert('adhoc_execution_host', {
    id: exampleId('adhoc_execution_host'),
    execution_id: exampleId('adhoc_execution'),
    hostname: names.asset,
    state: 'done',
  });
  await insert('login_log', {
    id: exampleId('login_log'),
    username: 'admin',
    type: 'W',
    ip: '192.0.2.1',
    status: true,
  });
  await insert('deleted_object', {
    id: exampleId('deleted_object'),
    org_id: '',
    resource: 'asset',
    name: 'web-prod-01',
    deleted_by: 'Administrator(admin)',
    document: 'not sealed',
  });
  await insert('lost_change', {
    id: exampleId('lost_change'),
    user: 'Administrator(admin)',
    action: 'delete',
    resource_type: 'label',
    resource: 'site',
    remote_addr: '10.0.0.1',
    datetime: new Date(),
    is_logged: true,
  });
  await insert('alert', {
    id: exampleId('alert'),
    kind: 'new_network',
    user: 'admin',
    subject: '192.0.2.0/24',
    remote_addr: '192.0.2.1',
    datetime: new Date(),
    day: '2026-01-31',
  });
  await insert('password_change_log', {
    id: exampleId('password_change_log'),
    user: 'admin',
    change_by: 'admin',
    remote_addr: '192.0.2.1',
  });
}
