import { type ModuleAnswer, remoteModule } from '../module.ts';
import { GATHER_USERS_SCRIPT } from '../windows/programs.ts';

export interface GatheredUser {
  readonly username: string;
  readonly uid: number;
  readonly home: string;
  readonly shell: string;
  /**
   * From `lastlog`, such as `Sat Nov 21 12:10:43 +0000 2026`; undefined if the host has no data.
   */
  readonly lastLogin?: { readonly date: Date; readonly from: string };
}

const MAX_USERS = 5000;

/** Lists accounts with a login shell, and their last sign-in on hosts with `lastlog`. */
export const gatherUsers = remoteModule<undefined, readonly GatheredUser[]>({
  name: 'gather-users',
  runsAs: 'account',
  answer: 'report',
  script: String.raw`
go; system
person() {
  case $4 in
    */nologin|*/false|*/sync|*/halt|*/shutdown) ;;
    *) printf "fact user %s:%s:%s:%s\n" "$@" ;;
  esac
}
if [ "$kind" = macos ]; then
  n=
  { dscl . -readall /Users RecordName UniqueID NFSHomeDirectory UserShell; echo "-"; } |
  while read -r word value; do
    case $word in
      RecordName:) set -- $value; n=$1 ;;
      UniqueID:) u=$value ;;
      NFSHomeDirectory:) h=$value ;;
      UserShell:) s=$value ;;
      -) [ -z "$n" ] || [ -z "$s" ] || person "$n" "$u" "$h" "$s"; n=; u=; h=; s= ;;
    esac
  done
else
  while IFS=: read -r n p u g c h s; do person "$n" "$u" "$h" "$s"; done </etc/passwd
fi
if has lastlog; then
  lastlog 2>/dev/null | while IFS= read -r line; do
    case $line in
      *"**Never logged in**"*|"Username "*) ;;
      *) printf "fact last %s\n" "$line" ;;
    esac
  done
fi
echo done`,
  values: () => [],
  windows: { script: GATHER_USERS_SCRIPT, values: () => [], result: windowsUsers },
  result: ({ facts }) => {
    const last = new Map(
      facts.filter(([name]) => name === 'last').map(([, line]) => lastLogin(line)),
    );
    return facts
      .filter(([name]) => name === 'user')
      .slice(0, MAX_USERS)
      .map(([, line]) => {
        const [username = '', uid = '', home = '', shell = ''] = line.split(':');
        const lastLogin = last.get(username);
        return { username, uid: Number(uid), home, shell, ...(lastLogin && { lastLogin }) };
      });
  },
});

/**
 * Parses `name  port  from  Sat Nov 21 12:10:43 +0000 2026`. The address is blank for a sign-in at
 * the console.
 */
function lastLogin(line: string): [string, GatheredUser['lastLogin']] {
  const [, name = '', between = '', month = '', day = '', time = '', zone = '', year = ''] =
    /^(\S+)\s+(.*?)\s+[A-Z][a-z]{2} ([A-Z][a-z]{2})\s+(\d{1,2}) ([\d:]{8}) ([+-]\d{4}) (\d{4})$/.exec(
      line,
    ) ?? [];
  const date = new Date(`${day} ${month} ${year} ${time} ${zone}`);
  const [, from = ''] = between.split(/\s+/);
  return [name, name === '' || Number.isNaN(date.getTime()) ? undefined : { date, from }];
}

function windowsUsers({ facts }: ModuleAnswer): readonly GatheredUser[] {
  return facts
    .filter(([name]) => name === 'user')
    .map(([, line]) => {
      const [number = '', last = '', username = '', home = ''] = line.split('\t');
      const date = new Date(last);
      // Windows does not report the source address.
      return {
        username,
        uid: Number(number),
        home,
        shell: '',
        ...(!Number.isNaN(date.getTime()) && { lastLogin: { date, from: '' } }),
      };
    });
}
