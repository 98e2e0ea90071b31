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
