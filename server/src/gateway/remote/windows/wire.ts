import { CUT_STATUS } from '../wire.ts';

/** The host says that its PowerShell waits for the script. */
export const READY = 'sallyport:ready';
/** The host says that its PowerShell may not run what a script needs (constrained language mode). */
export const LIMITED = 'sallyport:limited';
/** How a line of a script begins; base64 of UTF-8 follows, so that no code page and no banner changes it. */
export const SAYS = 'sallyport:';
/** How output of a program begins; base64 of its bytes follows. */
export const OUTPUT = 'sallyport-output:';
/** How its errors begin. */
export const ERRORS = 'sallyport-errors:';

/**
 * `-InputFormat None`: otherwise PowerShell itself reads standard input for `$input`, next to the script. `-OutputFormat Text`: otherwise errors come as
 * serialized objects (CLIXML). `-ExecutionPolicy`: counts for this process only; modules of Windows would not load under some policies.
 */
const OPTIONS =
  '-NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -InputFormat None -OutputFormat Text';

/** A constant program on a command line, in letters that every shell passes on unchanged. */
function encoded(program: string): string {
  return `${OPTIONS} -EncodedCommand ${Buffer.from(program.trim(), 'utf16le').toString('base64')}`;
}

/**
 * Says that it is ready, reads the script from standard input as one line of base64, and runs it. Constant: neither the script nor a value is part of a command
 * line. It is far below the 8,191 characters that cmd.exe takes, the default shell of OpenSSH for Windows.
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

/** Runs the text of a person, which comes as one line of base64, and ends with the status of its last program. */
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
 * What every script begins with: `take` (the next value), `go` (all values have come: only now something may be done), and the words of a report, which are those of
 * the scripts for `/bin/sh`. What a cmdlet throws ends in the word for a failed step, with its message.
 */
const PRELUDE = `
$ErrorActionPreference = 'Stop'
$WarningPreference = 'SilentlyContinue'
$step = 'PowerShell'
function say([string]$text) { $writer.Write('${SAYS}' + [Convert]::ToBase64String($utf8.GetBytes($text)) + [char]10) }
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

/** The whole text that PowerShell runs for a module. Constant. */
export function windowsScript(script: string): string {
  return `${PRELUDE.trim()}\n${script.trim()}\n${END.trim()}\n`;
}

/** Everything that goes to standard input once PowerShell is ready: the script, its values as data, and the word to begin. */
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
