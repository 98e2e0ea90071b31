import { defineModule } from '../../module.ts';
import type { Actor } from '../../platform/actor.ts';
import { Conflict } from '../../platform/errors.ts';
import { serverZone } from '../../platform/settings/service.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { identity } from '../identity/index.ts';
import { license } from '../license/index.ts';
import { mail } from '../mail/index.ts';
import { settings } from '../settings/index.ts';
import { fileForProgram, type ProgramRequest } from './asset-requests/create-request.ts';
import { PERMISSIONS } from './asset-requests/granted.ts';
import { createRequestKind } from './asset-requests/kind.ts';
import { createGrantReminders } from './asset-requests/reminders.ts';
import { mountAssetRequests } from './asset-requests/routes.ts';
import { createControlledRequests, type RequestControl } from './asset-requests/second-decision.ts';
import { mountTicketRequest } from './asset-requests/ticket-request.ts';
import { connectionKind, createConnectionApprovals } from './connection-approvals.ts';
import { createTicketDecisions } from './decisions.ts';
import { mountDeputies } from './deputies/routes.ts';
import { createHeldCommands, heldCommandKind } from './held-commands.ts';
import { createTicketHooks, ticketCommentHooks } from './hooks.ts';
import { createTicketKinds } from './kinds.ts';
import { createReviews, loginConfirmKind } from './login-confirm/reviews.ts';
import { mountReviewers } from './login-confirm/routes.ts';
import { createTicketMails } from './mails.ts';
import { createTellUsers } from './tell-users.ts';

export type {
  ControlledRequests,
  RequestControl,
} from './asset-requests/second-decision.ts';
export { authorOf } from './hooks.ts';
export type { TicketKind } from './kinds.ts';
export type { TicketMails } from './mails.ts';
export { reviewersOf } from './reviewers.ts';
export { addComment, assigneesOf, isAssigned, lockTicket, makeTicket, mayRead } from './store.ts';
export type { TellUsers, UserNews } from './tell-users.ts';

/** Requests of users that other users answer. */
export const tickets = defineModule({
  name: 'tickets',
  tables: [
    'ticket',
    'ticket_assignees',
    'ticket_comment',
    'login_confirm_setting',
    'login_confirm_setting_reviewers',
    'ticket_asset_request',
    'session_request',
    'held_command',
    'connection_approval',
    'ticket_stage',
    'review_deputy',
  ],
  create({ core: { db, bus }, use, engine }) {
    const mailing = { mails: use(identity).mails, mailer: use(mail) };
    const tellUsers = createTellUsers(mailing);
    const mails = createTicketMails(tellUsers);
    const kinds = createTicketKinds();
    kinds.add('login_confirm', loginConfirmKind);
    kinds.add('held_command', heldCommandKind);
    kinds.add('connection', connectionKind);
    let provided: RequestControl | undefined;
    const control: RequestControl = {
      propose(...grant) {
        if (!provided) throw new Conflict('change_control_off');
        return provided.propose(...grant);
      },
      async withdraw(...ended) {
        await provided?.withdraw(...ended);
      },
    };
    const requests = createRequestKind((target) => engine(PERMISSIONS[target]), control);
    kinds.add('request_asset', requests);
    kinds.add('request_app', requests);
    use(identity).setReviews(createReviews({ settings: use(settings), mails }));
    const waiting = {
      db,
      mails,
      decisions: createTicketDecisions(db, bus),
      wording: () => ({
        language: use(settings).get('SERVER_LANGUAGE'),
        zone: serverZone(use(settings)),
      }),
    };
    return {
      service: {
        /** Registers the behavior of a ticket type. */
        addKind: kinds.add,
        mails,
        tellUsers,
        /** Requests whose permission a second administrator decides. */
        controlled: createControlledRequests(mails),
        setControl(control: RequestControl) {
          provided = control;
        },
        /** Returns the function that files a request for access for a program of a user. */
        requestAccess:
          (audit: AuditWriter) =>
          (actor: Actor, request: ProgramRequest): Promise<string> => {
            const { language, zone } = waiting.wording();
            const filing = { db, license: use(license), audit, mails };
            return fileForProgram(filing, { actor, language, zone }, request);
          },
        /** Asks reviewers about held commands. */
        holds: createHeldCommands(waiting),
        /** Asks reviewers about connections. */
        approvals: createConnectionApprovals(waiting),
      },
      hooks: {
        ticket: createTicketHooks({ license: use(license), kinds, mails }),
        ticket_comment: ticketCommentHooks,
      },
      jobs: [
        createGrantReminders({
          db,
          ...mailing,
          language: () => use(settings).get('SERVER_LANGUAGE'),
        }),
      ],
      routes({ http, engines, services }) {
        mountReviewers(http, { ...services, engines });
        mountDeputies(http, { ...services, engines });
        mountAssetRequests(http, {
          ...services,
          engines,
          mails,
          control,
          license: use(license),
          settings: use(settings),
        });
        mountTicketRequest(http, { ...services, engines });
      },
    };
  },
});
