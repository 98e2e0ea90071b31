import { invalid } from '../../../platform/errors.ts';
import { remoteModule } from '../module.ts';
import { accountName, oneLine } from './checks.ts';

/** Commands that an account may run as any user without a password. */
export interface SudoRuleInput {
  readonly name: string;
  /** Commands in sudoers syntax, one or more per line; empty removes the rule. */
  readonly commands: string;
}

/**
 * Writes one file in `sudoers.d` per account. `visudo` checks the rule alone before writing, and
 * all rules afterwards; if they conflict, the previous file is restored.
 */
export const sudoRule = remoteModule<SudoRuleInput, undefined>({
  name: 'sudo-rule',
  runsAs: 'root',
  answer: 'report',
  script: String.raw`
take; file=$v; take; line=$v; go
system; root; need visudo; need mktemp
etc=/etc; [ "$kind" = freebsd ] && etc=/usr/local/etc
folder=$etc/sudoers.d
reads=
while read -r word path rest; do
  case $word,$path in
    [#@]includedir,$folder|[#@]includedir,$folder/|[#@]includedir,/private$folder) reads=1 ;;
  esac
done <"$etc/sudoers"
[ -n "$reads" ] || refuse remote_sudo_folder
if [ -n "$line" ]; then
  printf "%s\n" "$line" | visudo -c -f - >&2 || broken remote_sudo_rule
fi
old=
[ -f "$folder/$file" ] && old=$(cat "$folder/$file")
if [ "$old" != "$line" ] && change sudo; then
  # sudo ignores file names with a dot.
  rm -f "$folder/.$file".*
  kept=
  if [ -f "$folder/$file" ]; then
    kept=$(mktemp "$folder/.$file.XXXXXX") && cp -p "$folder/$file" "$kept" ||
      broken remote_failed sudoers.d
  fi
  if [ -n "$line" ]; then
    new=$(mktemp "$folder/.$file.XXXXXX") && printf "%s\n" "$line" >"$new" &&
      chmod 440 "$new" && mv -f "$new" "$folder/$file" || broken remote_failed sudoers.d
  else
    rm -f "$folder/$file" || broken remote_failed sudoers.d
  fi
  if ! visudo -c >&2; then
    if [ -n "$kept" ]; then mv -f "$kept" "$folder/$file"; else rm -f "$folder/$file"; fi
    broken remote_sudo_rule
  fi
  [ -z "$kept" ] || rm -f "$kept"
fi
echo done`,
  values: ({ name, commands }) => {
    const account = accountName(name, 'name');
    const lines = commands
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    if (lines.length === 0) return [fileOf(account), ''];
    const all = oneLine(lines.join(', '), 'commands', 4000);
    // A trailing backslash would join the next line.
    if (all.endsWith('\\')) throw invalid('commands', 'control_character');
    return [fileOf(account), `${account} ALL=(ALL) NOPASSWD: ${all}`];
  },
  result: () => undefined,
  windows: { refused: 'remote_windows_sudo' },
});

/** sudo ignores files with a dot in their names. */
function fileOf(account: string): string {
  return `sallyport-${account.replaceAll('.', '%2e')}`;
}
