import { remoteModule } from '../module.ts';
import { accountName } from './checks.ts';

/** A group that has to be there. */
export interface GroupInput {
  readonly name: string;
}

/** Makes a group where there is none. */
export const group = remoteModule<GroupInput, undefined>({
  name: 'group',
  runsAs: 'root',
  answer: 'report',
  script: `
take; name=$v; go
linux; root; need groupadd
found=
while IFS=: read -r n p g m; do [ "$n" = "$name" ] && found=1; done </etc/group
if [ -z "$found" ] && change group; then groupadd -- "$name" >&2 || broken remote_failed groupadd; fi
echo done`,
  values: ({ name }) => [accountName(name, 'name')],
  result: () => undefined,
});
