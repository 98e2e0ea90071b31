import { invalid } from '../../../platform/errors.ts';
import { oneLine } from '../modules/checks.ts';

/** Built-in groups by SID: their names depend on the server's language. */
export const USERS = 'S-1-5-32-545';
export const REMOTE_DESKTOP_USERS = 'S-1-5-32-555';

/** Names of local accounts: at most 20 characters, without a leading hyphen. */
const ACCOUNT = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,19}$/u;
/** Names of groups, or SIDs. */
const GROUP = /^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,255}$/u;

/** Validates the name of a local account. @throws Invalid */
export function windowsAccount(value: string, field: string): string {
  if (!ACCOUNT.test(value) || value.endsWith('.')) throw invalid(field, 'not_username');
  return value;
}

/** Validates the name or SID of a local group. @throws Invalid */
export function windowsGroup(value: string, field: string): string {
  if (!GROUP.test(value) || /[. ]$/.test(value)) throw invalid(field, 'not_username');
  return value;
}

/** Validates a password: at most 127 characters. @throws Invalid */
export function windowsPassword(value: string, field: string): string {
  oneLine(value, field, 512);
  if (value.length > 127) throw invalid(field, 'too_long', { max: 127 });
  return value;
}

/**
 * PowerShell functions for local accounts. `accounts` refuses on hosts without local accounts.
 * `account` and `group_of` find one by name or SID. `belongs` reads group members one by one,
 * because `Get-LocalGroupMember` fails for groups with deleted members. `secure` builds a
 * SecureString without a cmdlet, because PowerShell may log cmdlet parameters. `valid` tests a
 * sign-in on the server itself.
 */
export const ACCOUNTS = `
function administrator {
  $identity = [Security.Principal.WindowsIdentity]::GetCurrent()
  $me = New-Object Security.Principal.WindowsPrincipal($identity)
  if (-not $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    refuse 'remote_administrator'
  }
}
function accounts {
  if ((Get-CimInstance Win32_ComputerSystem).DomainRole -ge 4) { refuse 'remote_domain_controller' }
  if (-not (Get-Command New-LocalUser -ErrorAction SilentlyContinue)) {
    refuse 'remote_tool New-LocalUser'
  }
}
function account([string]$name) { Get-LocalUser | Where-Object { $_.Name -eq $name } }
function group_of([string]$wanted) {
  Get-LocalGroup | Where-Object { $_.SID.Value -eq $wanted -or $_.Name -eq $wanted }
}
function belongs([string]$group, [string]$sid) {
  $folder = [ADSI]('WinNT://' + $env:COMPUTERNAME + '/' + $group + ',group')
  foreach ($each in @($folder.psbase.Invoke('Members'))) {
    $bytes = $each.GetType().InvokeMember('objectSid', 'GetProperty', $null, $each, $null)
    if ([Security.Principal.SecurityIdentifier]::new([byte[]]$bytes, 0).Value -eq $sid) {
      return $true
    }
  }
  $false
}
function secure([string]$text) {
  $secret = New-Object Security.SecureString
  foreach ($letter in $text.ToCharArray()) { $secret.AppendChar($letter) }
  $secret.MakeReadOnly()
  $secret
}
function valid([string]$name, [string]$secret) {
  Add-Type -AssemblyName System.DirectoryServices.AccountManagement
  $type = [DirectoryServices.AccountManagement.ContextType]::Machine
  $machine = [DirectoryServices.AccountManagement.PrincipalContext]::new($type)
  try { $machine.ValidateCredentials($name, $secret) }
  catch { $false }
  finally { $machine.Dispose() }
}
function set_password([string]$secret) {
  Set-LocalUser -SID $found.SID -Password (secure $secret) -PasswordNeverExpires $true
}
`;

export const GROUP_SCRIPT = `
${ACCOUNTS}
$name = take
go
administrator; accounts
$step = 'group'
if (-not (group_of $name) -and (change 'group')) { $null = New-LocalGroup -Name $name }`;

/**
 * Creates a local account with a random password, and adds it to groups. Built-in accounts have
 * RIDs below 1000; the administrator has 500 under any name.
 */
export const USER_SCRIPT = `
${ACCOUNTS}
$name = take
$shell = take
$folder = take
$comment = take
$groups = @((take).Split([char]10) | Where-Object { $_ })
go
if ($shell -or $folder) { refuse 'remote_windows_shell' }
administrator; accounts
$step = 'user'
$found = account $name
if ($found) {
  $number = [int64]$found.SID.Value.Split('-')[-1]
  if ($number -eq 500) { refuse "remote_root_account $name" }
  if ($number -lt 1000) { refuse "remote_system_account $name" }
} elseif (change 'user') {
  $bytes = New-Object byte[] 24
  [Security.Cryptography.RandomNumberGenerator]::Create().GetBytes($bytes)
  $more = @{}
  if ($comment) { $more.FullName = $comment }
  $secret = secure ('aA1!' + [Convert]::ToBase64String($bytes))
  $null = New-LocalUser -Name $name -Password $secret -PasswordNeverExpires @more
  $found = account $name
}
foreach ($wanted in $groups) {
  $step = "group $wanted"
  $group = group_of $wanted
  if (-not $group) { broken "remote_failed $step" }
  if (-not $found -or -not (belongs $group.Name $found.SID.Value)) {
    if (change ('group:' + $group.Name)) {
      Add-LocalGroupMember -SID $group.SID -Member $found.SID.Value
    }
  }
}`;

/**
 * Sets a password, unless a test sign-in shows that it is current. It never expires, because
 * Sallyport changes it.
 */
export const PASSWORD_SCRIPT = `
${ACCOUNTS}
$name = take
$secret = take
go
administrator; accounts
$step = 'password'
$found = account $name
if (-not $found) { broken "remote_no_account $name" }
if (-not (valid $found.Name $secret) -and (change 'password')) { set_password $secret }`;

/**
 * Sets a password, then asks whether to keep it. Windows reveals no password hashes, so undoing
 * needs the stored old password. A change by other users in between stays.
 */
export const CHANGE_PASSWORD_SCRIPT = `
${ACCOUNTS}
$name = take
$secret = take
$old = take
go
administrator; accounts
$step = 'password'
$found = account $name
if (-not $found) { broken "remote_no_account $name" }
if ($old -and -not (valid $found.Name $old)) { $old = '' }
if (change 'password') {
  set_password $secret
  $set = (account $name).PasswordLastSet
  say 'asks'
  if ($reader.ReadLine() -cne 'keep') {
    if ((account $name).PasswordLastSet -eq $set) {
      if (-not $old) { broken "remote_undo $name" }
      try { set_password $old } catch { broken "remote_undo $name" }
    }
    say 'fact undone'
  }
}`;
