import {
  boolean,
  CHANGE_ACTIONS,
  type ChangeControl,
  type ChangeSetDetail,
  type ChangeSetProposal,
  type ChangeSetRow,
  CONTROLLED_BY_DEFAULT,
  CONTROLLED_RESOURCES,
  CONTROLLED_TARGETS,
  choice,
  datetime,
  formatDatetime,
  MOST_CHANGES,
  Permission,
  type ProposedChange,
  parseBody,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict, Invalid, invalid } from '../../platform/errors.ts';
import { controlOf } from './control-store.ts';
import { approve, breakGlass, review } from './decide.ts';
import { mayDecide } from './duties.ts';
import { CONTROL, DECIDED, DETAIL, PROPOSAL, ROW } from './examples.ts';
import {
  type ChangeControlOptions,
  findSet,
  MOST_REASON,
  propose,
  reject,
  turnOn,
  withdraw,
} from './service.ts';
import { listSets } from './store.ts';
import { proposeUndo } from './undo.ts';
import { detailOf, rowOf } from './views.ts';
import { mountWaitingSettings } from './waiting-settings.ts';

const URL = '/api/v1/change-sets/';

const CONTROL_BODY = {
  is_on: boolean({ label: { en: 'Change control', zh: '变更控制' } }),
  allows_break_glass: boolean({
    label: { en: 'Allow emergency changes', zh: '允许紧急变更' },
    required: false,
    defaultValue: false,
  }),
} as const;
const PROPOSAL_BODY = {
  reason: text({ label: { en: 'Reason', zh: '原因' }, max: MOST_REASON, multiline: true }),
  turns_off: boolean({
    label: { en: 'Switch change control off', zh: '关闭变更控制' },
    defaultValue: false,
  }),
} as const;
const TIME = {
  apply_at: datetime({
    label: { en: 'Apply from', zh: '生效时间' },
    nullable: true,
    required: false,
  }),
} as const;
const CHANGE_BODY = {
  resource: choice({
    label: { en: 'Resource', zh: '资源' },
    choices: [...CONTROLLED_RESOURCES, ...CONTROLLED_TARGETS, ...CONTROLLED_BY_DEFAULT].map(
      (value) => ({
        value,
        label: { en: value, zh: value },
      }),
    ),
  }),
  action: choice({
    label: { en: 'Action', zh: '操作' },
    choices: CHANGE_ACTIONS.map((value) => ({ value, label: { en: value, zh: value } })),
  }),
  object: text({
    label: { en: 'Object', zh: '对象' },
    max: 36,
    required: false,
    defaultValue: '',
  }),
  parent: text({
    label: { en: 'Parent object', zh: '上级对象' },
    max: 36,
    required: false,
    defaultValue: '',
  }),
} as const;
const DECISION_BODY = {
  comment: text({
    label: { en: 'Comment', zh: '备注' },
    max: MOST_REASON,
    multiline: true,
    required: false,
    defaultValue: '',
  }),
} as const;

/** Parses a proposal. Problems of a change name its position. @throws Invalid */
function proposalIn({ request, zone }: Context) {
  const { changes = [], ...rest } = (request.body ?? {}) as Record<string, unknown>;
  const { values, problems } = parseBody({ ...PROPOSAL_BODY, ...TIME }, rest, 'create', { zone });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  if (!Array.isArray(changes)) throw invalid('changes', 'not_list');
  if (changes.length > MOST_CHANGES)
    throw invalid('changes', 'list_too_long', { max: MOST_CHANGES });
  return {
    reason: String(values.reason),
    turnsOff: values.turns_off === true,
    applyAt: values.apply_at instanceof Date ? values.apply_at : null,
    changes: changes.map((change: unknown, index) => changeIn(change, `changes.${index}`)),
  };
}

function changeIn(sent: unknown, at: string): ProposedChange {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw invalid(at, 'not_object');
  const { body = {}, ...rest } = sent as Record<string, unknown>;
  const { values, problems } = parseBody(CHANGE_BODY, rest, 'create');
  if (Object.keys(problems).length > 0)
    throw new Invalid(
      Object.fromEntries(Object.entries(problems).map(([name, list]) => [`${at}.${name}`, list])),
    );
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid(`${at}.body`, 'not_object');
  return { ...values, body } as ProposedChange;
}

async function controlIn(db: Db, { actor, zone }: Caller): Promise<ChangeControl> {
  const control = await controlOf(actor.organization.id, db);
  return {
    is_on: control !== undefined,
    allows_break_glass: control?.allows_break_glass === true,
    date_started: control ? formatDatetime(control.date_started, zone) : null,
    started_by: control?.user_name ?? '',
    resources: [
      ...CONTROLLED_RESOURCES,
      ...CONTROLLED_TARGETS,
      ...(actor.organization.id === '' ? CONTROLLED_BY_DEFAULT : []),
    ],
  };
}

/** Mounts the switch of change control. */
function mountControl(app: FastifyInstance, options: ChangeControlOptions): void {
  const { db } = options;
  const answer = samples<ChangeControl>(CONTROL, {
    ...CONTROL,
    is_on: false,
    date_started: null,
    started_by: '',
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/change-control/',
    access: Permission.ADMIN,
    area: 'changes',
    summary:
      'The state of change control in the current organization, and the resources that it controls.',
    answer,
    handler: (context) => controlIn(db, context),
  });
  route(app, {
    method: 'PUT',
    url: '/api/v1/change-control/',
    access: Permission.ADMIN,
    area: 'permissions',
    summary:
      'Switches change control of the current organization on. Switching it off must be proposed.',
    body: CONTROL_BODY,
    answer,
    async handler(context) {
      const { is_on: isOn, allows_break_glass: allows } = readBody(context, CONTROL_BODY);
      if (isOn) await turnOn(options, allows === true, context);
      else if (await controlOf(context.actor.organization.id, db))
        throw new Conflict('change_must_be_proposed');
      return controlIn(db, context);
    },
  });
}

/** Mounts change control and its change sets. */
export function mountChangeControl(app: FastifyInstance, options: ChangeControlOptions): void {
  const { db } = options;
  mountControl(app, options);
  const detail = async (id: string, context: Context) =>
    detailOf(await findSet(id, context, db), context, db);
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.ADMIN,
    area: 'changes',
    summary: 'The change sets of the current organization that wait, then the newest, at most 200.',
    answer: samples<readonly ChangeSetRow[]>([ROW, DECIDED]),
    handler: async (context) =>
      (await listSets(context.actor.organization.id, db))
        .filter((set) => mayDecide(set, context))
        .map((set) => rowOf(set, context)),
  });
  route(app, {
    method: 'POST',
    url: URL,
    access: Permission.ADMIN,
    area: 'changes',
    summary: 'Proposes changes that a second administrator decides.',
    bodyShape: samples<ChangeSetProposal>(PROPOSAL, {
      reason: 'No longer needed.',
      changes: [],
      turns_off: true,
      apply_at: null,
    }),
    answer: samples<ChangeSetDetail>(DETAIL, { ...DETAIL, ...DECIDED }),
    status: 201,
    async handler(context) {
      const id = await propose(options, proposalIn(context), context);
      context.reply.code(201);
      return detail(id, context);
    },
  });
  route(app, {
    method: 'GET',
    url: `${URL}:id/`,
    access: Permission.ADMIN,
    area: 'changes',
    summary: 'A change set with its changes and the access that users gain and lose.',
    answer: samples<ChangeSetDetail>(DETAIL, { ...DETAIL, ...DECIDED }),
    handler: (context) => detail(parameter(context, 'id'), context),
  });
  mountWaitingSettings(app, db);
  const decision = (
    name: 'approve' | 'reject' | 'withdraw' | 'break-glass' | 'review',
    summary: string,
    act: (id: string, comment: string, context: Context) => Promise<void>,
  ) =>
    route(app, {
      method: 'POST',
      url: `${URL}:id/${name}/`,
      access: Permission.ADMIN,
      area: 'changes',
      summary,
      body: DECISION_BODY,
      answer: samples<ChangeSetDetail>(DETAIL, { ...DETAIL, ...DECIDED }),
      async handler(context) {
        const { comment = '' } = readBody(context, DECISION_BODY);
        await act(parameter(context, 'id'), comment, context);
        return detail(parameter(context, 'id'), context);
      },
    });
  decision(
    'approve',
    'Approves a change set of another administrator, which applies now or from its time.',
    (...answer) => approve(options, ...answer),
  );
  decision('reject', 'Rejects a change set of another administrator.', (id, comment, context) =>
    reject(options, id, comment, context),
  );
  decision(
    'break-glass',
    'Applies a change set of the caller at once, where the organization allows it; needs a comment.',
    (id, comment, context) => breakGlass(options, id, comment, context),
  );
  decision(
    'review',
    'Marks an emergency of another administrator as reviewed.',
    (id, comment, context) => review(options, id, comment, context),
  );
  decision(
    'withdraw',
    'Withdraws a change set of the caller, or one that the caller approved for a later time.',
    (id, _comment, context) => withdraw(options, id, context),
  );
  route(app, {
    method: 'POST',
    url: `${URL}:id/undo/`,
    access: Permission.ADMIN,
    area: 'changes',
    summary: 'Proposes the inverse of a change set that was applied in the last 30 days.',
    answer: samples<ChangeSetDetail>(DETAIL, { ...DETAIL, ...DECIDED }),
    status: 201,
    async handler(context) {
      const id = await proposeUndo(options, parameter(context, 'id'), context);
      context.reply.code(201);
      return detail(id, context);
    },
  });
}
