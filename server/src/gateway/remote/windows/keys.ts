import { ACCOUNTS } from './accounts.ts';

/**
 * PowerShell function `edit MODE KEY REALLY`: returns true if the keys of the account in `found`
 * differ from the desired state, and changes them. For members of Administrators, sshd reads one
 * shared file that only they and the system may write (`Match Group administrators`). For others it
 * reads a file of the profile, which does not exist before the first sign-in. Refuses links, which
 * the account may have created. The new file replaces the old one atomically.
 */
const EDIT = String.raw`
${ACCOUNTS}
$system = 'S-1-5-18'
$administrators = 'S-1-5-32-544'
function profile_of([string]$sid) {
  $key = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\ProfileList\' + $sid
  if (Test-Path -LiteralPath $key) { (Get-ItemProperty -LiteralPath $key).ProfileImagePath }
}
function make_profile {
  $definition = '[DllImport("userenv.dll", CharSet = CharSet.Unicode)] ' +
    'public static extern int CreateProfile(' +
    'string sid, string name, System.Text.StringBuilder path, uint length);'
  Add-Type -Namespace Sallyport -Name Profiles -MemberDefinition $definition
  $path = New-Object Text.StringBuilder 260
  $null = [Sallyport.Profiles]::CreateProfile($found.SID.Value, $found.Name, $path, 260)
}
function is_link([string]$path) {
  (Test-Path -LiteralPath $path) -and
    ([IO.File]::GetAttributes($path) -band [IO.FileAttributes]::ReparsePoint)
}
function is_private([string]$path, $allowed) {
  $acl = Get-Acl -LiteralPath $path
  foreach ($rule in $acl.GetAccessRules($true, $true, [Security.Principal.SecurityIdentifier])) {
    if ($allowed -notcontains $rule.IdentityReference.Value) { return $false }
  }
  $true
}
function edit([string]$mode, [string]$key, [bool]$really) {
  $sid = $found.SID.Value
  $group = group_of $administrators
  $allowed = @($system, $administrators)
  if (belongs $group.Name $sid) {
    if ($mode -eq 'only') { refuse 'remote_shared_keys' }
    $folder = Join-Path $env:ProgramData 'ssh'
    $name = 'administrators_authorized_keys'
  } else {
    $base = profile_of $sid
    if (-not $base -and $mode -eq 'remove') { return $false }
    if (-not $base -and -not $really) { return $true }
    if (-not $base) { make_profile; $base = profile_of $sid }
    if (-not $base) { broken 'remote_failed profile' }
    $folder = Join-Path $base '.ssh'
    $name = 'authorized_keys'
    $allowed += $sid
  }
  $file = Join-Path $folder $name
  if ((is_link $folder) -or (is_link $file)) { broken "remote_failed $name" }
  $isThere = Test-Path -LiteralPath $file
  $old = @()
  if ($isThere) { $old = @([IO.File]::ReadAllLines($file)) }
  $blob = ' ' + $key.Split(' ')[1] + ' '
  $new = New-Object Collections.Generic.List[string]
  $isFound = $false
  foreach ($line in $old) {
    if ((' ' + $line + ' ').Contains($blob)) {
      $isFound = $true
      if ($mode -ne 'remove') { $new.Add($line) }
    } elseif ($mode -ne 'only' -or $line.StartsWith('#')) { $new.Add($line) }
  }
  if ($mode -ne 'remove' -and -not $isFound) { $new.Add($key) }
  $isSame = ($new -join [char]10) -ceq ($old -join [char]10)
  if ($isSame -and (-not $isThere -or (is_private $file $allowed))) { return $false }
  if (-not $really) { return $true }
  $null = [IO.Directory]::CreateDirectory($folder)
  $temporary = $file + '.sallyport'
  [IO.File]::Delete($temporary)
  $stream = [IO.FileStream]::new($temporary, [IO.FileMode]::CreateNew)
  try {
    $bytes = $utf8.GetBytes((@($new | ForEach-Object { $_ + [char]10 }) -join ''))
    $stream.Write($bytes, 0, $bytes.Length)
  } finally { $stream.Dispose() }
  $rules = 'D:PAI'
  foreach ($each in $allowed) { $rules += '(A;;FA;;;' + $each + ')' }
  $sections = [Security.AccessControl.AccessControlSections]::Access
  if ($isAdministrator) {
    $rules = 'O:BA' + $rules
    $sections = $sections -bor [Security.AccessControl.AccessControlSections]::Owner
  }
  $access = New-Object Security.AccessControl.FileSecurity
  $access.SetSecurityDescriptorSddlForm($rules, $sections)
  [IO.File]::SetAccessControl($temporary, $access)
  # The new file gets the rights of the old one when it takes its place.
  if ($isThere) {
    [IO.File]::SetAccessControl($file, $access)
    [IO.File]::Replace($temporary, $file, [NullString]::Value)
  } else { [IO.File]::Move($temporary, $file) }
  $true
}
`;

/** Finds the account. An account may change its own keys, an administrator all keys. */
const FIND = `
accounts
$me = [Security.Principal.WindowsIdentity]::GetCurrent()
$principal = New-Object Security.Principal.WindowsPrincipal($me)
$isAdministrator = $principal.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
$step = 'authorized_keys'
$found = account $name
if (-not $found) { broken "remote_no_account $name" }
if (-not $isAdministrator -and $me.User.Value -ne $found.SID.Value) {
  refuse 'remote_administrator'
}`;

export const AUTHORIZED_KEY_SCRIPT = `
${EDIT}
$name = take
$key = take
$mode = take
go
${FIND}
if (edit $mode $key (-not $check)) { say 'changed key' }`;

/** Adds a key next to the old one, asks whether to keep it, and removes the other one. */
export const CHANGE_KEY_SCRIPT = `
${EDIT}
$name = take
$new = take
$old = take
go
${FIND}
$isAdded = edit 'add' $new (-not $check)
if ($isAdded) { say 'changed key' }
if (-not $check) {
  say 'asks'
  if ($reader.ReadLine() -ceq 'keep') {
    if ($old) { $null = edit 'remove' $old $true }
  } else {
    if ($isAdded) { $null = edit 'remove' $new $true }
    say 'fact undone'
  }
}`;
