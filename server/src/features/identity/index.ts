import { user } from '@sallyport/contract';
import type { PublicContext } from '../../http/context.ts';
import { defineModule } from '../../module.ts';
import type { Caller } from '../../platform/actor.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Logger } from '../../platform/log.ts';
import type { Writer } from '../../resources/write/writer.ts';
import { audits } from '../audits/index.ts';
import { interfaces } from '../interface/index.ts';
import { mail } from '../mail/index.ts';
import { orgs } from '../orgs/index.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { createAccessKeyHooks } from './access-keys/hooks.ts';
import { userGroupHooks } from './accounts/account-engine.ts';
import { ensureFirstAdministrator } from './accounts/first-administrator.ts';
import { mountLinkedIdentities } from './accounts/linked-identity-routes.ts';
import { mountProviderLinks } from './accounts/provider-links.ts';
import { createUserHooks } from './accounts/user-hooks.ts';
import { createUserAttention } from './attention.ts';
import { createAuthenticator } from './authenticator.ts';
import { mountDevices } from './devices/routes.ts';
import { groupMappingHooks } from './group-mappings/hooks.ts';
import { mountGroupMappings } from './group-mappings/routes.ts';
import { mountNewcomers } from './invitations/newcomers.ts';
import { mountInvitations } from './invitations/routes.ts';
import { createCleanupJob, createExpiredKeysJob } from './jobs.ts';
import { createMails, dropRestoredMails } from './mail/jobs.ts';
import { createReminderJob } from './mail/reminders.ts';
import { assertFresh } from './mfa/confirmed.ts';
import { createFreshFactors } from './mfa/fresh.ts';
import { createSecondFactors } from './mfa/second-factors.ts';
import { mountProfile } from './profile/routes.ts';
import { mountIdentity } from './routes.ts';
import { createLockout } from './sign-in/lockout.ts';
import type { PasswordChecker } from './sign-in/password-checkers.ts';
import { type ProviderServices, SIGN_IN_PAGE } from './sign-in/provider-pages.ts';
import { allowanceOfAll, createRateLimit } from './sign-in/rate-limit.ts';
import { NO_REVIEWS, type Reviews } from './sign-in/reviews.ts';
import { SignIns } from './sign-in/service.ts';
import { signInRuleHooks } from './sign-in-rules/hooks.ts';
import { mountSignInRules } from './sign-in-rules/routes.ts';
import { createCurrentSignIns } from './sign-in-sessions/current.ts';
import { createSshKeyHooks } from './ssh-keys/hooks.ts';

export {
  type AccountEngine,
  createOperatorUserHooks,
  openAccounts,
} from './accounts/account-engine.ts';
export {
  HAS_NAMESAKE,
  HOLDER_ELSEWHERE,
  HOLDER_WITH_OLD_KEYS,
} from './accounts/email.ts';
export { addressFor } from './accounts/external-accounts.ts';
export type { ExternalIdentity } from './accounts/external-identities.ts';
export { foldedName } from './accounts/folded-name.ts';
export { type Imported, importPeople, importPerson } from './accounts/import-people.ts';
export {
  type ImportedCredentials,
  storeImportedCredentials,
} from './accounts/imported-credentials.ts';
export { accountEntry, managedAccount } from './accounts/managed-account.ts';
export { recoverPassword, recoverSecondFactor } from './accounts/recovery.ts';
export { type AgentAuthenticator, CSRF_COOKIE, isOwnOrigin } from './authenticator.ts';
export { isHttps } from './cookie-names.ts';
export type { MailKind, Mails } from './mail/jobs.ts';
export { assertConfirmedOnce, type ConfirmServices, isVerified } from './mfa/confirmed.ts';
export type { FreshFactors } from './mfa/fresh.ts';
export { FIRST_KEEPS } from './policy.ts';
export { objectBody } from './sign-in/bodies.ts';
export { setCsrfCookie } from './sign-in/cookies.ts';
export {
  type Challenge,
  ChallengeAsked,
  NotConfirmed,
  type PasswordChecker,
  unconfirmed,
} from './sign-in/password-checkers.ts';
export { HAS_LEFT } from './sign-in/pending.ts';
export { keepAnswer, takeAnswer, takeOnce } from './sign-in/provider-messages.ts';
export {
  createProviderPages,
  formText,
  goTo,
  type ProviderPages,
  type ProviderServices,
  SIGN_IN_PAGE,
  safeNext,
  siteOf,
} from './sign-in/provider-pages.ts';
export { type Allowance, countUse, createAllowance, type RateLimit } from './sign-in/rate-limit.ts';
export type { Review, Reviews } from './sign-in/reviews.ts';
export { trySignInOf } from './sign-in/trial.ts';
export type { Beginning, Continuation, Outcome, SignInService } from './sign-in/types.ts';
export {
  type SignInFacts,
  signInFacts,
  signInFactsOf,
  signInState,
  suspendSignInRules,
} from './sign-in-rules/store.ts';
export { type CurrentSignIns, holderOfLogin } from './sign-in-sessions/current.ts';
export { endSignInsFrom } from './sign-in-sessions/origin.ts';
export {
  beginSignIn,
  endAgentSignIns,
  endSignIns,
  endSignInsHeldBy,
  endSignInsOfDeadServers,
  inheritanceOf,
} from './sign-in-sessions/store.ts';
export { applySourceStates } from './source-state/apply.ts';
export { keepPasswordEnd } from './source-state/proof.ts';
export {
  applyReading,
  type HeldReading,
  joinLists,
  lacksPeople,
  type ToShut,
} from './source-state/reading.ts';

type SignOutPage = (context: PublicContext) => string | undefined;

/** Accounts, groups, sign-in and other proofs of a user's identity. */
export const identity = defineModule({
  name: 'identity',
  tables: [
    'account',
    'user_group',
    'user_group_users',
    'group_mapping',
    'group_mapping_user_groups',
    'provider_groups',
    'provider_group_name',
    'provider_membership',
    'provider_role',
    'sign_in_rule',
    'sign_in_rule_users',
    'sign_in_rule_user_groups',
    'web_session',
    'login_attempt',
    'pending_sign_in',
    'password_challenge',
    'device_sign_in',
    'device_ssh_key',
    'totp',
    'totp_offer',
    'recovery_code',
    'passkey',
    'passkey_challenge',
    'password_reset',
    'held_mail',
    'access_key',
    'ssh_key',
    'former_password',
    'sign_in_rate',
    'known_place',
    'seen_signature',
    'organization_invitation',
    'external_identity',
    'source_proof',
    'provider_answer',
    'seen_message',
  ],
  dropAfterRestore: dropRestoredMails,
  create({ core: { db, vault, bus, jobs, config, log }, use, engine }) {
    const { publicUrl } = config;
    const inForce = use(settings);
    const organizations = use(orgs);
    const mailer = use(mail);
    const limit = createRateLimit(use(servers).isAlone ? undefined : allowanceOfAll(db));
    const lockout = createLockout(db, inForce, use(servers).processes.count);
    const factors = createSecondFactors(db, vault, inForce, lockout);
    const authenticator = createAuthenticator({ db, settings: inForce, vault, publicUrl });
    const checkers: PasswordChecker[] = [];
    let reviews: Reviews = NO_REVIEWS;
    const signIns = new SignIns({
      db,
      settings: inForce,
      lockout,
      factors,
      audit: use(audits).write,
      checkers,
      reviews: () => reviews,
    });
    const proofs = { db, settings: inForce, factors, signIns };
    const web = { log, limit, publicUrl };
    const site = () => (publicUrl ?? inForce.get('SITE_URL')).replace(/\/+$/, '');
    const mails = createMails({ db, jobs, mailer, settings: inForce, site });
    const proveFresh = (caller: Caller) => assertFresh(caller, { db, settings: inForce, factors });
    inForce.setConfirmation(proveFresh);
    const signOutPages: SignOutPage[] = [];
    let firstPassword: string | undefined;
    return {
      service: {
        authenticator,
        signIns,
        /** Checks that the owner of an account makes a credential, not a stranger at the screen. */
        proofs,
        /** Current permissions of the sign-in with which a connection was opened. */
        current: createCurrentSignIns(db, organizations),
        limit,
        /** Base URL of the console in browsers. */
        site,
        /** Mail to accounts. */
        mails,
        /** Second factors that connections require. */
        freshFactors: createFreshFactors(db, factors),
        /** Adds a checker of passwords of another source. */
        addChecker: (checker: PasswordChecker) => void checkers.push(checker),
        /** Sets the service that asks reviewers to confirm sign-ins. */
        setReviews(provided: Reviews) {
          reviews = provided;
        },
        /** Adds a page to show after signing out, such as that of the identity provider. */
        addSignOutPage: (page: SignOutPage) => void signOutPages.push(page),
        /** Services for the pages of identity providers. */
        providerServices: (accounts: () => Writer): ProviderServices =>
          withAccounts(
            { ...web, db, vault, signIns, settings: inForce, audit: use(audits).write },
            accounts,
          ),
        /** Generated password of the first administrator, if this start created it. */
        firstPassword: () => firstPassword,
      },
      attention: createUserAttention(inForce),
      hooks: {
        user: createUserHooks(inForce, mailer, mails, proveFresh),
        user_group: userGroupHooks,
        access_key: createAccessKeyHooks(vault, proofs),
        ssh_key: createSshKeyHooks(proofs),
        sign_in_rule: signInRuleHooks,
        group_mapping: groupMappingHooks(proveFresh),
      },
      routes({ http, engines, services: resources }) {
        const { audit, lockGrants } = resources;
        mountInvitations(http, { ...resources, mailer, mails });
        mountNewcomers(http, { db, audit, engines, mailer, publicUrl });
        const services = { ...proofs, engines, organizations, authenticator, audit };
        mountIdentity(http, {
          ...services,
          ...web,
          lockGrants,
          lockout,
          mailer,
          mails,
          signOutPage: (context) => pageAfter(signOutPages, context),
          signedOut: (_userId, sessionId) => passOn(sessionId, bus, log),
        });
        mountDevices(http, { ...services, ...web });
        mountProfile(http, services, use(interfaces).publicSettings);
        mountSignInRules(http, services);
        mountGroupMappings(http, db);
        mountProviderLinks(http, { db, audit });
        mountLinkedIdentities(http, { ...services, mailer, mails });
      },
      jobs: [
        ...mails.jobs,
        createReminderJob({ db, settings: inForce, mailer, mails }),
        createCleanupJob(db, () => reviews),
        createExpiredKeysJob(db),
      ],
      async start() {
        firstPassword = await ensureFirstAdministrator(
          db,
          engine(user).writer,
          config.adminPassword,
        );
      },
    };
  },
});

/** Returns the page to show after signing out: the first that `pages` provides. */
function pageAfter(pages: readonly SignOutPage[], context: PublicContext): string {
  for (const page of pages) {
    const where = page(context);
    if (where) return where;
  }
  return SIGN_IN_PAGE;
}

function passOn(sessionId: string, bus: Bus, log: Logger): void {
  bus
    .publish('signed_out', sessionId)
    .catch((error: unknown) => log.error({ error: String(error) }, 'a sign-out was not passed on'));
}

/** Adds the writer of accounts, which exists only after the routes are mounted. */
const withAccounts = (
  services: Omit<ProviderServices, 'accounts'>,
  accounts: () => Writer,
): ProviderServices => ({
  ...services,
  get accounts() {
    return accounts();
  },
});
