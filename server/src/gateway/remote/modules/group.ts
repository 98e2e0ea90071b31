import { remoteModule } from '../module.ts';
import { GROUP_SCRIPT, windowsGroup } from '../windows/accounts.ts';
import { accountName } from './checks.ts';

export interface GroupInput {
  readonly name: string;
}

/** Creates a group if missing. A no-op on macOS. */
export const group = remoteModule<GroupInput, undefined>({
  name: 'group',
  runsAs: 'root',
  answer: 'report',
  script: `
take; name=$v; go
system; root
found=
while IFS=: read -r n p g m; do [ "$n" = "$name" ] && found=1; done </etc/group
if [ -z "$found" ]; then
  # macOS accounts have no group named like them.
  case $kind in
    shadow) need groupadd ;;
    busybox) need addgroup ;;
    freebsd) need pw ;;
    macos) echo done; exit 0 ;;
  esac
  if change group; then
    case $kind in
      shadow) groupadd -- "$name" ;;
      busybox) addgroup "$name" ;;
      freebsd) pw groupadd -n "$name" ;;
    esac >&2 || broken remote_failed group
  fi
fi
echo done`,
  values: ({ name }) => [accountName(name, 'name')],
  result: () => undefined,
  windows: { script: GROUP_SCRIPT, values: ({ name }) => [windowsGroup(name, 'name')] },
});
