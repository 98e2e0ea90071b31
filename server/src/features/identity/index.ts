import { user } from '@sallyport/contract';
import type { PublicContext } from '../../http/context.ts';
import { defineModule } from '../../module.ts';
import { mail } from '../mail/index.ts';
import { orgs } from '../orgs/index.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { createAccessKeyHooks } from './access-keys/hooks.ts';
import { ensureFirstAdministrator } from './accounts/first-administrator.ts';
import { userGroupHooks } from './accounts/user-group-hooks.ts';
import { createUserHooks } from './accounts/user-hooks.ts';
import { createAuthenticator } from './authenticator.ts';
import { mountInvitations } from './invitations/routes.ts';
import { createCleanupJob, createExpiredKeysJob } from './jobs.ts';
import { createMails } from './mail/jobs.ts';
import { createReminderJob } from './mail/reminders.ts';
import { createFreshFactors } from './mfa/fresh.ts';
import { createSecondFactors } from './mfa/second-factors.ts';
import { mountProfile } from './profile/routes.ts';
import { mountIdentity } from './routes.ts';
import { createLockout } from './sign-in/lockout.ts';
import type { PasswordChecker } from './sign-in/password-checkers.ts';
import { allowanceOfAll, createRateLimit } from './sign-in/rate-limit.ts';
import { createSignInService } from './sign-in/service.ts';
import { createCurrentSignIns } from './sign-in-sessions/current.ts';

const SIGN_IN_PAGE = '/core/auth/login/';

/** Accounts, groups, sign-in and everything that proves a user's identity. */
export const identity = defineModule({
  name: 'identity',
  tables: [
    'account',
    'user_group',
    'user_group_users',
    'web_session',
    'login_attempt',
    'pending_sign_in',
    'totp',
    'totp_offer',
    'recovery_code',
    'passkey',
    'passkey_challenge',
    'password_reset',
    'access_key',
    'sign_in_rate',
    'known_place',
    'seen_signature',
    'organization_invitation',
  ],
  create({ core: { db, vault, bus, jobs, config, log }, use, engine }) {
    const { publicUrl } = config;
    const inForce = use(settings);
    const organizations = use(orgs);
    const mailer = use(mail);
    const limit = createRateLimit(use(servers).isAlone ? undefined : allowanceOfAll(db));
    const lockout = createLockout(db, inForce);
    const factors = createSecondFactors(db, vault, inForce, lockout);
    const authenticator = createAuthenticator({ db, organizations, settings: inForce, vault, publicUrl });
    const checkers: PasswordChecker[] = [];
    const signIns = createSignInService({ db, settings: inForce, lockout, factors, checkers });
    const site = () => (publicUrl ?? inForce.get('SITE_URL')).replace(/\/+$/, '');
    const mails = createMails({ db, jobs, mailer, settings: inForce, site });
    let signOutPage: (context: PublicContext) => string = () => SIGN_IN_PAGE;
    let firstPassword: string | undefined;
    return {
      service: {
        authenticator,
        signIns,
        /** What sign-ins allow that something was opened with. */
        current: createCurrentSignIns(db, organizations),
        limit,
        /** Second factors that connections ask for. */
        freshFactors: createFreshFactors(db, factors),
        /** Adds what knows the passwords of the accounts of another source. */
        addChecker: (checker: PasswordChecker) => void checkers.push(checker),
        /** Chooses the page that a browser sees after signing out. */
        setSignOutPage(page: (context: PublicContext) => string) {
          signOutPage = page;
        },
        /** The password of the first administrator, when this start made it up. */
        firstPassword: () => firstPassword,
      },
      hooks: { user: createUserHooks(inForce, mailer, mails), user_group: userGroupHooks, access_key: createAccessKeyHooks(vault) },
      routes({ http, engines, services: resources }) {
        const { audit, lockGrants } = resources;
        mountInvitations(http, { ...resources, mailer, mails });
        const services = { db, engines, organizations, settings: inForce, authenticator, audit, factors, signIns };
        mountIdentity(http, {
          ...services,
          lockGrants,
          lockout,
          mailer,
          mails,
          log,
          limit,
          publicUrl,
          signOutPage: (context) => signOutPage(context),
          signedOut: (_userId, sessionId) =>
            void bus.publish('signed_out', sessionId).catch((error: unknown) => log.error({ error: String(error) }, 'a sign-out was not passed on')),
        });
        mountProfile(http, services);
      },
      jobs: [mails.job, createReminderJob({ db, settings: inForce, mailer, mails }), createCleanupJob(db), createExpiredKeysJob(db)],
      async start() {
        firstPassword = await ensureFirstAdministrator(db, engine(user).writer, config.adminPassword);
      },
    };
  },
});
