import type { PrivateHost } from '../hosts/private-host.ts';

/**
 * Replacements for programs of a Debian host, to imitate other systems. Written from the manual
 * pages of pw(8), su(1), sysctl(8), kenv(1) and diskinfo(8) of FreeBSD, of busybox's `adduser`,
 * `addgroup` and `chpasswd`, and of dscl(1) and sw_vers(1) of macOS. They support the documented
 * options and reject others; undocumented behavior of the real programs is unknown.
 */
const PROGRAMS = {
  FreeBSD: {
    uname:
      'case $1 in -s|"") echo FreeBSD ;; -r) echo 14.2-RELEASE ;; -m) echo amd64 ;; -n) echo box ;; *) exit 64 ;; esac',
    // Linux programs that FreeBSD lacks.
    ...Object.fromEntries(
      ['useradd', 'usermod', 'groupadd', 'chpasswd', 'lastlog'].map((name) => [
        name,
        'echo "not on FreeBSD" >&2; exit 127',
      ]),
    ),
    su: 'case $1 in -*) echo "su: illegal option -- $1" >&2; exit 1 ;; esac; exec /usr/bin/su "$@"',
    pw: `
verb=$1; shift
n=; s=; d=; c=; g=; member=; how=
while [ $# -gt 0 ]; do
  case $verb,$1 in
    *,-n) n=$2; shift ;;
    user*,-s) s=$2; shift ;;
    user*,-d) d=$2; shift ;;
    user*,-c) c=$2; shift ;;
    user*,-g) g=$2; shift ;;
    useradd,-m) ;; groupmod,-m) member=$2; shift ;;
    usermod,-h|usermod,-H) [ "$2" = 0 ] || exit 64; how=$1; shift ;;
    *) echo "pw: unknown option $1" >&2; exit 64 ;;
  esac
  shift
done
case $verb in
  useradd)
    set -- -m
    [ -n "$s" ] && set -- "$@" -s "$s"
    [ -n "$d" ] && set -- "$@" -d "$d"
    [ -n "$c" ] && set -- "$@" -c "$c"
    if [ -n "$g" ]; then set -- "$@" -N -g "$g"; else set -- "$@" -U; fi
    /usr/sbin/useradd "$@" -- "$n" ;;
  usermod)
    [ -n "$s" ] && /usr/sbin/usermod -s "$s" -- "$n"
    case $how in
      -h) IFS= read -r secret; printf "%s:%s\\n" "$n" "$secret" | /usr/sbin/chpasswd ;;
      -H) IFS= read -r hash; printf "%s:%s\\n" "$n" "$hash" | /usr/sbin/chpasswd -e ;;
    esac ;;
  groupadd) /usr/sbin/groupadd -- "$n" ;;
  groupmod) /usr/sbin/usermod -aG "$n" -- "$member" ;;
  *) exit 64 ;;
esac`,
    visudo:
      'case $* in -c) exec /usr/sbin/visudo -c -f /usr/local/etc/sudoers ;; *) exec /usr/sbin/visudo "$@" ;; esac',
    sysctl: `[ "$1" = -n ] || exit 1
case $2 in
  hw.model) echo "AMD EPYC 7763" ;;
  hw.ncpu) echo 8 ;;
  hw.physmem) echo 8546562048 ;;
  kern.smp.cores) echo 4 ;;
  kern.disks) echo "cd0 ada1 da0" ;;
  *) exit 1 ;;
esac`,
    kenv: '[ "$1" = -q ] || exit 1; case $2 in smbios.system.maker) echo "QEMU" ;; smbios.system.product) echo "Standard PC" ;; *) exit 1 ;; esac',
    diskinfo:
      'case $1 in ada1) printf "ada1\\t512\\t21474836480\\t41943040\\t0\\t0\\n" ;; da0) printf "da0\\t4096\\t1000204886016\\t244190646\\t0\\t0\\n" ;; *) exit 1 ;; esac',
  },
  Alpine: {
    adduser: `
s=/bin/sh; h=; g=; group=
while [ $# -gt 1 ]; do
  case $1 in
    -D) ;;
    -s) s=$2; shift ;;
    -h) h=$2; shift ;;
    -g) g=$2; shift ;;
    -G) group=$2; shift ;;
    *) exit 1 ;;
  esac
  shift
done
if [ -n "$group" ]; then set -- -N -g "$group" "$1"; else set -- -U "$1"; fi
[ -n "$h" ] && set -- -d "$h" "$@"
exec /opt/useradd -m -s "$s" -c "$g" "$@"`,
    addgroup:
      'case $# in 1) exec /usr/sbin/groupadd "$1" ;; 2) exec /usr/sbin/usermod -aG "$2" "$1" ;; *) exit 1 ;; esac',
  },
  macOS: {
    uname: 'case $1 in -s|"") echo Darwin ;; -m) echo arm64 ;; -n) echo mac ;; *) exit 64 ;; esac',
    ...Object.fromEntries(
      ['useradd', 'usermod', 'groupadd', 'chpasswd', 'lastlog'].map((name) => [
        name,
        'echo "not on macOS" >&2; exit 127',
      ]),
    ),
    su: 'case $1 in -*) echo "su: illegal option -- $1" >&2; exit 1 ;; esac; exec /usr/bin/su "$@"',
    dscl: `
say() {
  printf "NFSHomeDirectory: %s\\nPrimaryGroupID: %s\\nRecordName: %s\\nUniqueID: %s\\nUserShell: %s\\n" \\
    "$h" "$g" "$n" "$u" "$s"
}
case $1,$2 in
  .,-read)
    while IFS=: read -r n p u g c h s; do
      [ "/Users/$n" = "$3" ] && { say; exit 0; }
    done </etc/passwd
    echo "<dscl_cmd> DS Error: -14136 (eDSRecordNotFound)" >&2; exit 56 ;;
  .,-readall)
    first=1
    while IFS=: read -r n p u g c h s; do
      [ -n "$first" ] || echo "-"
      first=; say
    done </etc/passwd ;;
  *) exit 64 ;;
esac`,
    sysctl: `[ "$1" = -n ] || exit 1
case $2 in
  hw.model) echo Mac14,3 ;;
  machdep.cpu.brand_string) echo "Apple M2" ;;
  hw.packages) echo 1 ;;
  hw.physicalcpu|hw.logicalcpu) echo 8 ;;
  hw.memsize) echo 17179869184 ;;
  *) exit 1 ;;
esac`,
    sw_vers:
      'case $1 in -productName) echo macOS ;; -productVersion) echo 15.1 ;; *) exit 64 ;; esac',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type OtherSystem = keyof typeof PROGRAMS;

/** Further differences of each system. */
const PLACES: Readonly<Record<OtherSystem, string>> = {
  FreeBSD: `
ln -s shadow /etc/master.passwd
mkdir -p /usr/local/etc/sudoers.d
printf '%s\\n' 'root ALL=(ALL:ALL) ALL' '@includedir /usr/local/etc/sudoers.d' >/usr/local/etc/sudoers
chmod 440 /usr/local/etc/sudoers`,
  Alpine: `
mount -t tmpfs tmpfs /opt
cp /usr/sbin/useradd /opt/useradd
mount --bind /dev/null /usr/sbin/useradd`,
  macOS: '',
};

/** Makes a private Debian host imitate another system, as far as remote work depends on it. */
export async function becomeOtherSystem(host: PrivateHost, system: OtherSystem): Promise<void> {
  const programs = Object.entries(PROGRAMS[system]).map(
    ([name, text]) =>
      `cat >/usr/local/bin/${name} <<"#program"\n#!/bin/sh\n${text.trim()}\n#program\nchmod 755 /usr/local/bin/${name}`,
  );
  const tmpfs =
    'for place in /usr/local/bin /usr/local/etc; do mkdir -p $place; mount -t tmpfs -o mode=755 tmpfs $place; done';
  await host.inside(['set -e', tmpfs, PLACES[system], ...programs].join('\n'));
}
