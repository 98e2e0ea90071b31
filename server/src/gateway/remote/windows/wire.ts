import { CUT_STATUS } from '../wire.ts';

/** PowerShell is ready for the script. */
export const READY = 'sallyport:ready';
/** PowerShell runs in constrained language mode, which scripts cannot use. */
export const LIMITED = 'sallyport:limited';
/** Prefix of a script's lines. Base64 of UTF-8 follows: no code page or banner can alter it. */
export const SAYS = 'sallyport:';
/** Prefix of program output; base64 of its bytes follows. */
export const OUTPUT = 'sallyport-output:';
/** Prefix of a program's error output. */
export const ERRORS = 'sallyport-errors:';

/**
 * `-InputFormat None`: otherwise PowerShell itself reads standard input for `$input`.
 * `-OutputFormat Text`: otherwise errors arrive as serialized objects (CLIXML). `-ExecutionPolicy`:
 * affects this process only; some policies would block modules of Windows.
 */
const OPTIONS =
  '-NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -InputFormat None -OutputFormat Text';

/** A constant program on a command line, in characters that every shell passes unchanged. */
function encoded(program: string): string {
  return `${OPTIONS} -EncodedCommand ${Buffer.from(program.trim(), 'utf16le').toString('base64')}`;
}

/**
 * Reports that it is ready, reads the script from standard input as one line of base64, and runs
 * it. Constant: neither script nor values are part of the command line. Far below the limit of
 * 8,191 characters of cmd.exe, the default shell of OpenSSH for Windows.
 */
export const WINDOWS_COMMAND = `powershell.exe ${encoded(`
if ($ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') { '${LIMITED}'; exit }
$ProgressPreference = 'SilentlyContinue'
$utf8 = New-Object Text.UTF8Encoding $false
$reader = New-Object IO.StreamReader -ArgumentList @([Console]::OpenStandardInput(), $utf8)
$writer = New-Object IO.StreamWriter -ArgumentList @([Console]::OpenStandardOutput(), $utf8)
$writer.AutoFlush = $true
$writer.Write('${READY}' + [char]10)
$line = $reader.ReadLine()
if (-not $line) { [Environment]::Exit(${CUT_STATUS}) }
. ([ScriptBlock]::Create($utf8.GetString([Convert]::FromBase64String($line))))`)}`;

/**
 * Runs a user's text, which arrives as one line of base64, and exits with the status of its last
 * program.
 */
export const RUN_TEXT = encoded(`
$ProgressPreference = 'SilentlyContinue'
$utf8 = New-Object Text.UTF8Encoding $false
try { [Console]::OutputEncoding = $utf8 } catch { }
$OutputEncoding = $utf8
$reader = New-Object IO.StreamReader -ArgumentList @([Console]::OpenStandardInput(), $utf8)
$text = $utf8.GetString([Convert]::FromBase64String($reader.ReadLine()))
$global:LASTEXITCODE = 0
& ([ScriptBlock]::Create($text))
exit $LASTEXITCODE`);

/**
 * Prelude of every script: `take` (the next value), `go` (all values have arrived, so changes may
 * begin), and the report functions of the `/bin/sh` scripts. An exception is reported as a failed
 * step with its message.
 */
const PRELUDE = `
$ErrorActionPreference = 'Stop'
$WarningPreference = 'SilentlyContinue'
$step = 'PowerShell'
function say([string]$text) {
  $writer.Write('${SAYS}' + [Convert]::ToBase64String($utf8.GetBytes($text)) + [char]10)
}
function refuse([string]$text) { say "refused $text"; [Environment]::Exit(0) }
function broken([string]$text) { say "failed $text"; [Environment]::Exit(0) }
function change([string]$what) { say "changed $what"; -not $check }
function take {
  $line = $reader.ReadLine()
  if ($null -eq $line) { [Environment]::Exit(${CUT_STATUS}) }
  $utf8.GetString([Convert]::FromBase64String($line))
}
function go { if ($reader.ReadLine() -cne '#go') { [Environment]::Exit(${CUT_STATUS}) } }
try {
if ($PSVersionTable.PSVersion -lt [Version]'5.1') { refuse 'remote_tool PowerShell 5.1' }
$check = (take) -eq '1'
`;

const END = `
say 'done'
} catch {
say ('error ' + $_.Exception.Message)
say "failed remote_failed $step"
}
[Environment]::Exit(0)`;

/** The complete, constant text that PowerShell runs for a module. */
export function windowsScript(script: string): string {
  return `${PRELUDE.trim()}\n${script.trim()}\n${END.trim()}\n`;
}

/**
 * The payload for standard input once PowerShell is ready: script, values as data, and the start
 * word.
 */
export function windowsPayload(
  script: string,
  values: readonly string[],
  isCheck: boolean,
): Buffer {
  const line = (text: string) => Buffer.from(text).toString('base64');
  return Buffer.from(
    [windowsScript(script), isCheck ? '1' : '0', ...values].map(line).concat('#go', '').join('\n'),
  );
}
