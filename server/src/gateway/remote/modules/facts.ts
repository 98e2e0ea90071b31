import type { HardwareFacts } from '@sallyport/contract';
import { remoteModule } from '../module.ts';
import { FACTS_SCRIPT } from '../windows/programs.ts';

/**
 * Collects hardware facts: on Linux from files and `uname`, on FreeBSD and macOS with `sysctl`, on
 * Windows through CIM. The serial number needs root.
 */
export const facts = remoteModule<undefined, HardwareFacts>({
  name: 'facts',
  runsAs: 'root',
  answer: 'report',
  script: String.raw`
go; system
know() { [ -z "$2" ] || printf "fact %s %s\n" "$1" "$2"; }
repeat() { i=0; while [ "$i" -lt "$2" ]; do echo "fact $1 $i"; i=$((i + 1)); done; }
case $kind in
freebsd)
  know sys_vendor "$(kenv -q smbios.system.maker)"
  know product_name "$(kenv -q smbios.system.product)"
  know product_serial "$(kenv -q smbios.system.serial)"
  know model_name "$(sysctl -n hw.model)"
  know cores "$(sysctl -n kern.smp.cores 2>/dev/null)"
  repeat processor "$(sysctl -n hw.ncpu)"
  know memory $(( $(sysctl -n hw.physmem) / 1024 ))
  for disk in $(sysctl -n kern.disks); do
    set -- $(diskinfo "$disk" 2>/dev/null)
    case $disk in cd*|md*) ;; *) [ -z "$3" ] || echo "fact disk 0 $(($3 / 512)) $disk" ;; esac
  done
  know os "$(uname -s)"; know os_version "$(uname -r)" ;;
macos)
  know sys_vendor Apple; know product_name "$(sysctl -n hw.model)"
  know model_name "$(sysctl -n machdep.cpu.brand_string)"
  repeat socket "$(sysctl -n hw.packages)"; repeat processor "$(sysctl -n hw.logicalcpu)"
  know cores "$(sysctl -n hw.physicalcpu)"
  know memory $(( $(sysctl -n hw.memsize) / 1024 ))
  know os "$(sw_vers -productName)"; know os_version "$(sw_vers -productVersion)" ;;
*)
for name in sys_vendor product_name product_serial; do
  line=
  [ -r /sys/class/dmi/id/$name ] && IFS= read -r line </sys/class/dmi/id/$name
  printf "fact %s %s\n" "$name" "$line"
done 2>/dev/null
while IFS=: read -r name value; do
  case $name in
    "model name"*) echo "fact model_name$value" ;;
    "physical id"*) echo "fact socket$value" ;;
    "cpu cores"*) echo "fact cores$value" ;;
    processor*) echo "fact processor$value" ;;
  esac
done </proc/cpuinfo
while read -r name value unit; do
  [ "$name" = MemTotal: ] && echo "fact memory $value"
done </proc/meminfo
for path in /sys/block/*; do
  read -r size <"$path/size" && read -r removable <"$path/removable" &&
    echo "fact disk $removable $size $(basename "$path")"
done 2>/dev/null
if [ -r /etc/os-release ]; then
  ( . /etc/os-release; printf "fact os %s\nfact os_version %s\n" "$NAME" "$VERSION_ID" )
fi ;;
esac
echo "fact arch $(uname -m)"
echo "fact hostname $(uname -n)"
echo done`,
  values: () => [],
  windows: { script: FACTS_SCRIPT, values: () => [] },
  result: ({ facts: lines }) => {
    const all = (name: string) =>
      lines.filter(([one]) => one === name).map(([, value]) => value.trim());
    const first = (name: string, max = 128) => (all(name)[0] ?? '').slice(0, max);
    const known = (name: string) => first(name) || 'Unknown';
    const processors = Math.max(all('processor').length, 1);
    const sockets = Math.max(new Set(all('socket')).size, 1);
    const cores = Number(first('cores')) || Math.max(Math.round(processors / sockets), 1);
    const disks = all('disk').flatMap((line): [string, number][] => {
      const [removable, blocks, device = ''] = line.split(' ');
      // The kernel counts blocks of 512 bytes on every disk.
      return removable === '0' && /^(?:hd|sd|xvd|vd|nv|a?da|nda|vtbd|PhysicalDrive)/.test(device)
        ? [[device, Number(blocks) * 512]]
        : [];
    });
    return {
      vendor: known('sys_vendor'),
      model: known('product_name'),
      sn: known('product_serial'),
      cpu_model: first('model_name', 48),
      cpu_count: sockets,
      cpu_cores: cores,
      cpu_vcpus: processors,
      memory: inUnits(Number(first('memory')) * 1024),
      disk_total: inUnits(disks.reduce((sum, [, bytes]) => sum + bytes, 0)),
      disk_info: diskInfo(disks),
      os: first('os'),
      os_version: first('os_version'),
      os_arch: first('arch'),
      hostname_raw: first('hostname'),
    };
  },
});

/** Formats bytes in decimal units with one decimal, such as `16.0 G`. */
function inUnits(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T', 'P'];
  let value = Number.isFinite(bytes) ? bytes : 0;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** As many disks as fit into the field. */
function diskInfo(disks: readonly [string, number][]): string {
  const kept: Record<string, string> = {};
  for (const [device, bytes] of disks) {
    const more = { ...kept, [device]: inUnits(bytes) };
    if (JSON.stringify(more).length > 1024) break;
    Object.assign(kept, more);
  }
  return JSON.stringify(kept);
}
