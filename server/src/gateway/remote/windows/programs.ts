import { ERRORS, OUTPUT, RUN_TEXT } from './wire.ts';

/**
 * Runs a user's text in a separate PowerShell as the account, and streams its output. When standard
 * input ends, because a run was canceled or the connection was lost, all started processes are
 * killed. A dry run runs nothing.
 */
export const PROGRAM_SCRIPT = String.raw`
$text = take
go
$step = 'powershell.exe'
if ($check) { say 'status 0' } else {
  $about = New-Object Diagnostics.ProcessStartInfo
  $about.FileName = Join-Path $PSHOME 'powershell.exe'
  $about.Arguments = '${RUN_TEXT}'
  $about.UseShellExecute = $false
  $about.CreateNoWindow = $true
  $about.RedirectStandardInput = $true
  $about.RedirectStandardOutput = $true
  $about.RedirectStandardError = $true
  $child = [Diagnostics.Process]::Start($about)
  $encoded = [Convert]::ToBase64String($utf8.GetBytes($text))
  $line = [Text.Encoding]::ASCII.GetBytes($encoded + [char]10)
  $child.StandardInput.BaseStream.Write($line, 0, $line.Length)
  $child.StandardInput.BaseStream.Close()
  $streams = @(
    $child.StandardOutput.BaseStream, $child.StandardError.BaseStream, $reader.BaseStream)
  $buffers = @((New-Object byte[] 8192), (New-Object byte[] 8192), (New-Object byte[] 16))
  $words = @('${OUTPUT}', '${ERRORS}')
  $never = New-Object 'Threading.Tasks.TaskCompletionSource[int]'
  $reads = New-Object 'Threading.Tasks.Task[]' 3
  foreach ($at in 0..2) {
    $reads[$at] = $streams[$at].ReadAsync($buffers[$at], 0, $buffers[$at].Length)
  }
  $open = 2
  while ($open -gt 0) {
    $at = [Threading.Tasks.Task]::WaitAny($reads)
    $count = $reads[$at].Result
    if ($at -eq 2) {
      if ($count -gt 0) { $reads[2] = $streams[2].ReadAsync($buffers[2], 0, 16); continue }
      $end = New-Object Diagnostics.ProcessStartInfo
      $end.FileName = Join-Path $env:SystemRoot 'System32\taskkill.exe'
      $end.Arguments = '/T /F /PID ' + $child.Id
      $end.UseShellExecute = $false
      $end.CreateNoWindow = $true
      [Diagnostics.Process]::Start($end).WaitForExit()
      [Environment]::Exit(1)
    }
    if ($count -eq 0) { $open -= 1; $reads[$at] = $never.Task; continue }
    $writer.Write($words[$at] + [Convert]::ToBase64String($buffers[$at], 0, $count) + [char]10)
    $reads[$at] = $streams[$at].ReadAsync($buffers[$at], 0, 8192)
  }
  $child.WaitForExit()
  say "status $($child.ExitCode)"
}`;
