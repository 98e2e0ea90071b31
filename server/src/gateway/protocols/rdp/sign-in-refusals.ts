import type { ErrorCode } from '@sallyport/contract';
import type { SignInRefused } from '@sallyport/rdp';
import { Refusal } from '../../refusal.ts';

type Reason = readonly [name: string, code: ErrorCode];

/** The first version of CredSSP whose servers send the reason of a rejection. */
const SENDS_REASONS_SINCE = 3;
const OTHER = 'connect_rdp_refused';

/**
 * Reasons of network level authentication: NTSTATUS (MS-ERREF 2.3.1), and the errors of SSPI and
 * Windows (2.1.1, 2.2) as HRESULT, which some servers send in their place.
 */
const REASONS: ReadonlyMap<number, Reason> = new Map<number, Reason>([
  [0xc000006d, ['STATUS_LOGON_FAILURE', 'connect_credentials']],
  [0xc000006a, ['STATUS_WRONG_PASSWORD', 'connect_credentials']],
  [0xc0000064, ['STATUS_NO_SUCH_USER', 'connect_credentials']],
  [0x8009030c, ['SEC_E_LOGON_DENIED', 'connect_credentials']],
  [0x8007052e, ['ERROR_LOGON_FAILURE', 'connect_credentials']],
  [0xc0000071, ['STATUS_PASSWORD_EXPIRED', 'connect_password_expired']],
  [0x80070532, ['ERROR_PASSWORD_EXPIRED', 'connect_password_expired']],
  [0xc0000224, ['STATUS_PASSWORD_MUST_CHANGE', 'connect_password_expired']],
  [0x80070773, ['ERROR_PASSWORD_MUST_CHANGE', 'connect_password_expired']],
  [0xc0000072, ['STATUS_ACCOUNT_DISABLED', 'connect_account_disabled']],
  [0x80070533, ['ERROR_ACCOUNT_DISABLED', 'connect_account_disabled']],
  [0xc0000193, ['STATUS_ACCOUNT_EXPIRED', 'connect_account_expired']],
  [0x80070701, ['ERROR_ACCOUNT_EXPIRED', 'connect_account_expired']],
  [0xc0000234, ['STATUS_ACCOUNT_LOCKED_OUT', 'connect_account_locked']],
  [0x80070775, ['ERROR_ACCOUNT_LOCKED_OUT', 'connect_account_locked']],
  [0xc000006e, ['STATUS_ACCOUNT_RESTRICTION', 'connect_account_restricted']],
  [0x8007052f, ['ERROR_ACCOUNT_RESTRICTION', 'connect_account_restricted']],
  [0xc000006f, ['STATUS_INVALID_LOGON_HOURS', 'connect_account_restricted']],
  [0x80070530, ['ERROR_INVALID_LOGON_HOURS', 'connect_account_restricted']],
  [0xc0000070, ['STATUS_INVALID_WORKSTATION', 'connect_account_restricted']],
  [0x80070531, ['ERROR_INVALID_WORKSTATION', 'connect_account_restricted']],
  [0xc000015b, ['STATUS_LOGON_TYPE_NOT_GRANTED', 'connect_account_restricted']],
  [0x80070569, ['ERROR_LOGON_TYPE_NOT_GRANTED', 'connect_account_restricted']],
  [0xc0000413, ['STATUS_AUTHENTICATION_FIREWALL_FAILED', 'connect_account_restricted']],
  [0xc0000022, ['STATUS_ACCESS_DENIED', OTHER]],
  [0xc000005e, ['STATUS_NO_LOGON_SERVERS', OTHER]],
  [0xc00000dc, ['STATUS_INVALID_SERVER_STATE', OTHER]],
  [0xc0000133, ['STATUS_TIME_DIFFERENCE_AT_DC', OTHER]],
  [0xc000018a, ['STATUS_NO_TRUST_LSA_SECRET', OTHER]],
  [0xc000018b, ['STATUS_NO_TRUST_SAM_ACCOUNT', OTHER]],
  [0xc000018c, ['STATUS_TRUSTED_DOMAIN_FAILURE', OTHER]],
  [0xc000018d, ['STATUS_TRUSTED_RELATIONSHIP_FAILURE', OTHER]],
  [0xc0000192, ['STATUS_NETLOGON_NOT_STARTED', OTHER]],
  [0xc0000418, ['STATUS_NTLM_BLOCKED', OTHER]],
  [0x80090302, ['SEC_E_UNSUPPORTED_FUNCTION', OTHER]],
  [0x80090308, ['SEC_E_INVALID_TOKEN', OTHER]],
  [0x8009030e, ['SEC_E_NO_CREDENTIALS', OTHER]],
  [0x80090311, ['SEC_E_NO_AUTHENTICATING_AUTHORITY', OTHER]],
]);

/** HRESULT_FROM_NT: an NTSTATUS with this bit. */
const FROM_NT = 0x1000_0000;
const FACILITY_NT = 0xd;

/** The refusal of an account by network level authentication. */
export function signInRefusalOf(
  { status, version }: SignInRefused,
  place: { readonly host: string; readonly account: string },
): Refusal {
  if (status === undefined)
    return new Refusal(
      version < SENDS_REASONS_SINCE ? 'connect_credentials' : 'connect_sign_in_closed',
      place,
    );
  const plain = status >>> 28 === FACILITY_NT ? status - FROM_NT : status;
  const [name, code] = REASONS.get(plain) ?? ['', OTHER];
  const number = `0x${status.toString(16).toUpperCase().padStart(8, '0')}`;
  return new Refusal(code, { ...place, code: name ? `${number} ${name}` : number });
}
