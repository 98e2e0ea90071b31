import type { LocalText } from '@sallyport/contract';
import type { ClosedCode } from '../connection/connection-state.ts';
import { endWords } from './words.ts';

/** Tone of an end: calm if ordinary, warning if the user can fix it, danger if it needs care. */
export type EndTone = 'calm' | 'warning' | 'danger';

export type EndIcon =
  | 'finished'
  | 'server'
  | 'lock'
  | 'clock'
  | 'idle'
  | 'fingerprint'
  | 'hand'
  | 'line'
  | 'shield'
  | 'alert';

export interface SessionEnd {
  readonly tone: EndTone;
  readonly icon: EndIcon;
  readonly title: LocalText;
  readonly hint?: LocalText;
  /** Hides the server's sentence, which repeats the title. */
  readonly isWholeStory?: boolean;
  /** An administrator can help; the notice names the administrators. */
  readonly hasAdministratorHint?: boolean;
}

const words = endWords;
const unreachable: SessionEnd = {
  tone: 'warning',
  icon: 'server',
  title: words.unreachableTitle,
  hint: words.unreachableHint,
};
const databaseRefused: SessionEnd = {
  tone: 'warning',
  icon: 'server',
  title: words.protocolTitle,
};
const denied: SessionEnd = {
  tone: 'danger',
  icon: 'lock',
  title: words.deniedTitle,
  hint: words.deniedHint,
  hasAdministratorHint: true,
};

const ENDS: Partial<Readonly<Record<ClosedCode, SessionEnd>>> = {
  connect_denied: denied,
  permission_denied: denied,
  connect_expired: {
    tone: 'warning',
    icon: 'clock',
    title: words.expiredTitle,
    hint: words.expiredHint,
    isWholeStory: true,
    hasAdministratorHint: true,
  },
  connect_approval_needed: { tone: 'warning', icon: 'lock', title: words.approvalTitle },
  connect_approval_rejected: { tone: 'danger', icon: 'hand', title: words.approvalTitle },
  connect_approval_expired: { tone: 'warning', icon: 'clock', title: words.approvalTitle },
  connect_approval_withdrawn: { tone: 'calm', icon: 'hand', title: words.approvalTitle },
  connect_approval_nobody: {
    tone: 'warning',
    icon: 'lock',
    title: words.approvalTitle,
    hasAdministratorHint: true,
  },
  connect_second_person: { tone: 'warning', icon: 'lock', title: words.secondPersonTitle },
  connect_second_person_nobody: {
    tone: 'warning',
    icon: 'lock',
    title: words.secondPersonTitle,
    hasAdministratorHint: true,
  },
  connect_second_person_guest: { tone: 'warning', icon: 'lock', title: words.secondPersonTitle },
  connect_switch_terminal: { tone: 'warning', icon: 'lock', title: words.switchTitle },
  connect_switch_secret: {
    tone: 'warning',
    icon: 'lock',
    title: words.switchTitle,
    hasAdministratorHint: true,
  },
  connect_switch_failed: {
    tone: 'warning',
    icon: 'lock',
    title: words.switchTitle,
    hasAdministratorHint: true,
  },
  connect_condition: { tone: 'warning', icon: 'clock', title: words.conditionTitle },
  connect_asset_inactive: {
    tone: 'warning',
    icon: 'server',
    title: words.inactiveTitle,
    hint: words.inactiveHint,
    isWholeStory: true,
  },
  connect_no_account: {
    tone: 'warning',
    icon: 'lock',
    title: words.noAccountTitle,
    hint: words.noAccountHint,
    isWholeStory: true,
    hasAdministratorHint: true,
  },
  connect_unreachable: unreachable,
  connect_timeout: unreachable,
  connect_address: { tone: 'danger', icon: 'shield', title: words.deniedTitle },
  connect_refused: { ...unreachable, hint: words.refusedHint },
  connect_no_greeting: { ...unreachable, hint: words.noGreetingHint },
  connect_credentials: {
    tone: 'danger',
    icon: 'lock',
    title: words.credentialsTitle,
    hint: words.credentialsHint,
  },
  connect_host_key: {
    tone: 'danger',
    icon: 'fingerprint',
    title: words.hostKeyTitle,
    hint: words.hostKeyHint,
  },
  connect_protocol: { tone: 'warning', icon: 'alert', title: words.protocolTitle },
  connect_protocol_error: {
    tone: 'warning',
    icon: 'alert',
    title: words.protocolTitle,
    hint: words.protocolHint,
  },
  connect_desktop_error: { tone: 'warning', icon: 'alert', title: words.protocolTitle },
  connect_desktop_sign_in: {
    tone: 'warning',
    icon: 'lock',
    title: words.protocolTitle,
    hasAdministratorHint: true,
  },
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
  desktop_unknown_data: { tone: 'warning', icon: 'alert', title: words.protocolTitle },
  desktop_wrong_input: { tone: 'warning', icon: 'alert', title: words.failedTitle },
  connect_certificate: {
    tone: 'danger',
    icon: 'shield',
    title: words.deniedTitle,
    hasAdministratorHint: true,
  },
  connect_database: databaseRefused,
  connect_database_full: databaseRefused,
  connect_database_starting: databaseRefused,
  connect_redis_no_password: databaseRefused,
  connect_redis_protected: databaseRefused,
  connect_redis_silent: databaseRefused,
  connect_redis_select: databaseRefused,
  connect_no_commands: {
    tone: 'warning',
    icon: 'server',
    title: words.protocolTitle,
    hasAdministratorHint: true,
  },
  connect_no_terminal: {
    tone: 'warning',
    icon: 'server',
    title: words.protocolTitle,
    hasAdministratorHint: true,
  },
  connect_no_channel: {
    tone: 'warning',
    icon: 'server',
    title: words.protocolTitle,
    hasAdministratorHint: true,
  },
  connect_plain_password: {
    tone: 'warning',
    icon: 'server',
    title: words.protocolTitle,
    hasAdministratorHint: true,
  },
  database_pooled: {
    tone: 'warning',
    icon: 'server',
    title: words.protocolTitle,
    hasAdministratorHint: true,
  },
  database_not_read_only: {
    tone: 'warning',
    icon: 'server',
    title: words.protocolTitle,
    hasAdministratorHint: true,
  },
  connect_database_missing: {
    tone: 'warning',
    icon: 'server',
    title: words.databaseMissingTitle,
    hasAdministratorHint: true,
  },
  connect_outdated: {
    tone: 'warning',
    icon: 'shield',
    title: words.outdatedTitle,
    hasAdministratorHint: true,
  },
  connect_outdated_gateway: {
    tone: 'warning',
    icon: 'shield',
    title: words.outdatedTitle,
    hasAdministratorHint: true,
  },
  connect_target_closed: {
    tone: 'calm',
    icon: 'finished',
    title: words.finishedTitle,
    hint: words.finishedHint,
  },
  connect_no_picture: { tone: 'warning', icon: 'server', title: words.failedTitle },
  connect_target_broke: { tone: 'warning', icon: 'alert', title: words.protocolTitle },
  connect_target_flooded: { tone: 'warning', icon: 'alert', title: words.lostTitle },
  connect_target_lost: { tone: 'warning', icon: 'line', title: words.lostTitle },
  session_finished: {
    tone: 'calm',
    icon: 'finished',
    title: words.finishedTitle,
    hint: words.finishedHint,
    isWholeStory: true,
  },
  session_left: { tone: 'warning', icon: 'line', title: words.leftTitle },
  session_moved: {
    tone: 'calm',
    icon: 'finished',
    title: words.movedTitle,
    hint: words.movedHint,
    isWholeStory: true,
  },
  session_server_died: { tone: 'warning', icon: 'server', title: words.lostTitle },
  session_gone: {
    tone: 'warning',
    icon: 'line',
    title: words.lostTitle,
    hint: words.lineLost,
    isWholeStory: true,
  },
  session_not_watchable: { tone: 'calm', icon: 'finished', title: words.finishedTitle },
  session_terminated: { tone: 'danger', icon: 'hand', title: words.terminatedTitle },
  session_limit: { tone: 'warning', icon: 'hand', title: words.failedTitle },
  session_watch_ended: { tone: 'calm', icon: 'finished', title: words.finishedTitle },
  invitation_ended: { tone: 'warning', icon: 'hand', title: words.finishedTitle },
  invitation_expired: { tone: 'warning', icon: 'clock', title: words.expiredTitle },
  invitation_off: { tone: 'warning', icon: 'lock', title: words.finishedTitle },
  session_idle: { tone: 'warning', icon: 'idle', title: words.idleTitle },
  session_too_long: { tone: 'warning', icon: 'clock', title: words.tooLongTitle },
  session_signed_out: { tone: 'warning', icon: 'lock', title: words.signedOutTitle },
  not_authenticated: { tone: 'warning', icon: 'lock', title: words.signedOutTitle },
  session_recording_failed: {
    tone: 'danger',
    icon: 'shield',
    title: words.recordingTitle,
    hint: words.recordingHint,
  },
  session_recording_full: { tone: 'warning', icon: 'shield', title: words.recordingTitle },
  session_disk_full: { tone: 'danger', icon: 'shield', title: words.recordingTitle },
  session_database_away: { tone: 'warning', icon: 'line', title: words.lostTitle },
  connect_database_away: { tone: 'warning', icon: 'server', title: words.failedTitle },
  session_interrupted: { tone: 'warning', icon: 'line', title: words.lostTitle },
  session_server_retired: {
    tone: 'warning',
    icon: 'line',
    title: words.failedTitle,
    hasAdministratorHint: true,
  },
  session_server_stopping: {
    tone: 'warning',
    icon: 'line',
    title: words.stoppingTitle,
    hint: words.stoppingHint,
  },
  cancelled: { tone: 'calm', icon: 'finished', title: words.cancelledTitle },
  line_refused: {
    tone: 'warning',
    icon: 'line',
    title: words.failedTitle,
    hint: words.lineRefused,
  },
  line_lost: { tone: 'warning', icon: 'line', title: words.lostTitle, hint: words.lineLost },
};

const OTHER: SessionEnd = { tone: 'warning', icon: 'alert', title: words.failedTitle };

/** Returns the presentation of an end. An unknown code is shown with the server's sentence. */
export function endOf(code: ClosedCode): SessionEnd {
  return ENDS[code] ?? OTHER;
}
