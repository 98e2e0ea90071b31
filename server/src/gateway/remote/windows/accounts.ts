import { invalid } from '../../../platform/errors.ts';
import { oneLine } from '../modules/checks.ts';

/** Groups that every Windows has, by their number: their names are in the language of the server. */
export const USERS = 'S-1-5-32-545';
export const REMOTE_DESKTOP_USERS = 'S-1-5-32-555';

/** Names of local accounts: Windows takes 20 letters. None begins with a hyphen. */
const ACCOUNT = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,19}$/u;
/** Names of groups, or their numbers. */
const GROUP = /^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,255}$/u;

/** A name of a local account. @throws Invalid */
export function windowsAccount(value: string, field: string): string {
  if (!ACCOUNT.test(value) || value.endsWith('.')) throw invalid(field, 'not_username');
  return value;
}

/** A name or a number of a local group. @throws Invalid */
export function windowsGroup(value: string, field: string): string {
  if (!GROUP.test(value) || /[. ]$/.test(value)) throw invalid(field, 'not_username');
  return value;
}

/** A password: Windows takes 127 letters. @throws Invalid */
export function windowsPassword(value: string, field: string): string {
  oneLine(value, field, 512);
  if (value.length > 127) throw invalid(field, 'too_long', { max: 127 });
  return value;
}

/**
 * What scripts about local accounts use. `accounts` refuses where there are none, `account` and `group_of` find one by its name (or number), `belongs` reads
 * the members of a group one by one: `Get-LocalGroupMember` fails for a group with a member that is gone. `secure` makes a password for cmdlets without a cmdlet, because PowerShell
 * may log the parameters of those. `valid` signs in on the server itself.
 */
export const ACCOUNTS = `
function administrator {
  $me = New-Object Security.Principal.WindowsPrincipal([Security.Principal.WindowsIdentity]::GetCurrent())
  if (-not $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) { refuse 'remote_administrator' }
}
function accounts {
  if ((Get-CimInstance Win32_ComputerSystem).DomainRole -ge 4) { refuse 'remote_domain_controller' }
  if (-not (Get-Command New-LocalUser -ErrorAction SilentlyContinue)) { refuse 'remote_tool New-LocalUser' }
}
function account([string]$name) { Get-LocalUser | Where-Object { $_.Name -eq $name } }
function group_of([string]$wanted) { Get-LocalGroup | Where-Object { $_.SID.Value -eq $wanted -or $_.Name -eq $wanted } }
function belongs([string]$group, [string]$sid) {
  $folder = [ADSI]('WinNT://' + $env:COMPUTERNAME + '/' + $group + ',group')
  foreach ($each in @($folder.psbase.Invoke('Members'))) {
    $bytes = $each.GetType().InvokeMember('objectSid', 'GetProperty', $null, $each, $null)
    if ([Security.Principal.SecurityIdentifier]::new([byte[]]$bytes, 0).Value -eq $sid) { return $true }
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
  $machine = [DirectoryServices.AccountManagement.PrincipalContext]::new([DirectoryServices.AccountManagement.ContextType]::Machine)
  try { $machine.ValidateCredentials($name, $secret) } catch { $false } finally { $machine.Dispose() }
}
function set_password([string]$secret) { Set-LocalUser -SID $found.SID -Password (secure $secret) -PasswordNeverExpires $true }
`;

/** Makes a local group where there is none. */
export const GROUP_SCRIPT = `
${ACCOUNTS}
$name = take
go
administrator; accounts
$step = 'group'
if (-not (group_of $name) -and (change 'group')) { $null = New-LocalGroup -Name $name }`;

/**
 * Makes a local account, with a password that nobody has, and adds it to groups. The accounts that Windows brings along have numbers below 1000; that of the
 * administrator is 500, whatever its name is.
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
  $null = New-LocalUser -Name $name -Password (secure ('aA1!' + [Convert]::ToBase64String($bytes))) -PasswordNeverExpires @more
  $found = account $name
}
foreach ($wanted in $groups) {
  $step = "group $wanted"
  $group = group_of $wanted
  if (-not $group) { broken "remote_failed $step" }
  if (-not $found -or -not (belongs $group.Name $found.SID.Value)) {
    if (change ('group:' + $group.Name)) { Add-LocalGroupMember -SID $group.SID -Member $found.SID.Value }
  }
}`;

/** Sets a password, unless a sign-in on the server itself shows that the account has it. It never expires: a new one comes from here. */
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
 * Sets a password and asks whether it is kept. Windows gives nobody the hash of the old one: the way back is the old password itself, where it is stored here and in force.
 * What somebody else changed meanwhile stays.
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
