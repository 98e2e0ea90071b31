import type { ClosedCode } from '../connection/connection-state.ts';
import type { SessionEnd } from './session-end.ts';
import { endWords as words } from './words.ts';

const badCertificate: SessionEnd = {
  tone: 'danger',
  icon: 'shield',
  title: words.deniedTitle,
  hasAdministratorHint: true,
};
const databaseRefused: SessionEnd = { tone: 'warning', icon: 'server', title: words.protocolTitle };
export const unsupported: SessionEnd = { ...databaseRefused, hasAdministratorHint: true };
const noSecurity: SessionEnd = {
  tone: 'warning',
  icon: 'lock',
  title: words.protocolTitle,
  hasAdministratorHint: true,
};
const accountRefused: SessionEnd = {
  tone: 'danger',
  icon: 'lock',
  title: words.credentialsTitle,
  hasAdministratorHint: true,
};

/** Ends by a refusal of a desktop, a database or a certificate of the server. */
export const TARGET_REFUSALS: Partial<Readonly<Record<ClosedCode, SessionEnd>>> = {
  connect_desktop_error: { tone: 'warning', icon: 'alert', title: words.protocolTitle },
  connect_desktop_sign_in: noSecurity,
  connect_rdp_no_nla: noSecurity,
  connect_rdp_no_tls: noSecurity,
  connect_desktop_open: {
    tone: 'danger',
    icon: 'shield',
    title: words.failedTitle,
    hasAdministratorHint: true,
  },
  connect_desktop_unchecked: {
    tone: 'danger',
    icon: 'shield',
    title: words.failedTitle,
    hasAdministratorHint: true,
  },
  connect_app_program: {
    tone: 'warning',
    icon: 'server',
    title: words.failedTitle,
    hasAdministratorHint: true,
  },
  connect_desktop_busy: { tone: 'warning', icon: 'server', title: words.failedTitle },
  connect_client_certificate: noSecurity,
  connect_certificate: badCertificate,
  connect_certificate_expired: badCertificate,
  connect_certificate_early: badCertificate,
  connect_certificate_name: badCertificate,
  connect_certificate_untrusted: badCertificate,
  connect_database: databaseRefused,
  connect_database_full: databaseRefused,
  connect_database_starting: databaseRefused,
  connect_redis_no_password: databaseRefused,
  connect_redis_protected: databaseRefused,
  connect_redis_silent: databaseRefused,
  connect_redis_select: databaseRefused,
  connect_rdp_no_bitmaps: unsupported,
  connect_desktop_taken: { tone: 'calm', icon: 'hand', title: words.takenTitle },
  connect_desktop_logged_off: { tone: 'calm', icon: 'finished', title: words.finishedTitle },
  connect_desktop_ended: { tone: 'warning', icon: 'hand', title: words.finishedTitle },
  connect_desktop_limit: { tone: 'warning', icon: 'idle', title: words.finishedTitle },
  connect_desktop_refused: noSecurity,
  connect_desktop_code: { tone: 'warning', icon: 'line', title: words.lostTitle },
  connect_desktop_words: noSecurity,
  connect_desktop_password: noSecurity,
  connect_rdp_negotiation: noSecurity,
  connect_rdp_refused: accountRefused,
  connect_sign_in_closed: accountRefused,
  connect_password_expired: accountRefused,
  connect_account_disabled: accountRefused,
  connect_account_expired: accountRefused,
  connect_account_locked: accountRefused,
  connect_account_restricted: accountRefused,
  connect_desktop_license: unsupported,
};
