import { ERRORS, OUTPUT, RUN_TEXT } from './wire.ts';

/** Reads hardware facts through CIM, under the names of the Linux script. */
export const FACTS_SCRIPT = `
go
function know([string]$name, $value) { if ($value) { say "fact $name $value" } }
$step = 'Get-CimInstance'
$computer = Get-CimInstance Win32_ComputerSystem
$processors = @(Get-CimInstance Win32_Processor)
$system = Get-CimInstance Win32_OperatingSystem
know 'sys_vendor' $computer.Manufacturer
know 'product_name' $computer.Model
know 'product_serial' (Get-CimInstance Win32_BIOS).SerialNumber
know 'model_name' $processors[0].Name
know 'cores' $processors[0].NumberOfCores
foreach ($at in 1..$processors.Count) { say "fact socket $at" }
foreach ($at in 1..[Math]::Min(4096, [int]$computer.NumberOfLogicalProcessors)) {
  say "fact processor $at"
}
know 'memory' ([Math]::Floor($computer.TotalPhysicalMemory / 1024))
foreach ($disk in Get-CimInstance Win32_DiskDrive | Sort-Object Index) {
  $isRemovable = [int]($disk.MediaType -like 'Removable*' -or $disk.InterfaceType -eq 'USB')
  $blocks = [Math]::Floor($disk.Size / 512)
  say ('fact disk ' + $isRemovable + ' ' + $blocks + ' PhysicalDrive' + $disk.Index)
}
know 'os' $system.Caption
know 'os_version' $system.Version
know 'arch' $env:PROCESSOR_ARCHITECTURE
know 'hostname' ([Net.Dns]::GetHostName())`;

/** Lists enabled local accounts with profile and last sign-in. */
export const GATHER_USERS_SCRIPT = String.raw`
go
$step = 'Get-LocalUser'
if ((Get-CimInstance Win32_ComputerSystem).DomainRole -ge 4) { refuse 'remote_domain_controller' }
foreach ($each in Get-LocalUser | Where-Object { $_.Enabled } | Select-Object -First 5000) {
  $last = ''
  if ($each.LastLogon) { $last = $each.LastLogon.ToUniversalTime().ToString('s') + 'Z' }
  $key = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\ProfileList\' + $each.SID.Value
  $path = ''
  if (Test-Path -LiteralPath $key) { $path = (Get-ItemProperty -LiteralPath $key).ProfileImagePath }
  say ('fact user ' + ($each.SID.Value.Split('-')[-1], $last, $each.Name, $path -join [char]9))
}`;

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
