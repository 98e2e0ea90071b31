// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell variables
import { caught, family, free, type Step, type Technique } from './technique.ts';

const prompt = /ready> $/;
/** The prompt after a rejection. With type-ahead the shell also shows one before it. */
const refused = /allow this[\s\S]*ready> $/;
const keys = (text: string, until: RegExp = prompt): Step => ({ keys: text, until });
/** A bracketed paste, followed by Enter. */
const pasted = (text: string): Step => keys(`\x1b[200~${text}\x1b[201~\r`);
const LEFT = '\x1b[D';
/** These keys make the kernel drop unread input, so wait for the letters first. */
const TYPED = /forbid \w+$/;
const RIGHT = '\x1b[C';

/**
 * Typing techniques: several lines, the line editor, the history, pastes, and other programs that
 * read lines.
 */
export const TYPING_TECHNIQUES: readonly Technique[] = [
  ...family(
    'Several lines',
    ...caught(
      ['continued line', 'forb\\', 'id @'],
      ['line continued twice', 'fo\\', 'rb\\', 'id @'],
      ['continued after a command', 'true; for\\', 'bid @'],
      ['continued path', '~/bin/for\\', 'bid @'],
      ['body of an if', 'if true', 'then', 'forbid @', 'true; fi'],
      ['body of a loop', 'for i in 1', 'do', 'forbid @', 'true'],
      ['inside of braces', '{', 'forbid @', 'true'],
      ['argument on the next line', 'forbid \\', '@'],
      ['quoted command over two lines', "sh -c '", 'forbid @', 'true'],
      ['here-document', 'sh <<END', 'forbid @', 'true'],
      ['quoted here-document', "sh <<'END'", 'forbid @', 'true'],
      ['here-document that writes a script', 'cat > h@ <<END', 'forbid @', 'true'],
    ),
    ...free(
      [
        'here-document with a variable of another line',
        'export x=for',
        'sh <<END',
        '${x}bid @',
        'END',
      ],
      [
        'quoted text with a newline that is taken out',
        "x='for",
        "bid @'",
        'eval "$' + "{x//$'\\n'}\"",
      ],
      ['here-document with a substitution', 'sh <<END', '$(echo for)bid @', 'END'],
    ),
  ),
  ...family(
    'The line editor',
    ...caught(
      ['corrected with Backspace', keys('forbix\x7fd @\r')],
      ['inserted with the arrow keys', keys(`forid @\x01${RIGHT.repeat(3)}b\r`)],
      ['appended behind the left arrow', keys(`forbix${LEFT}d\x1b[3~ @\r`)],
      ['first letter inserted with Ctrl-A', keys('orbid @\x01f\r')],
      ['first letter inserted with Home', keys('orbid @\x1b[Hf\r')],
      ['letter deleted with Ctrl-D', keys('xforbid @\x01\x04\r')],
      ['letter deleted with Delete', keys('xforbid @\x01\x1b[3~\r')],
      ['two letters exchanged with Ctrl-T', keys('ofrbid @\x01\x1b[C\x14\r')],
      ['word killed and yanked', keys('forbid @\x17\x17\x19\r')],
      ['line killed and yanked', keys('forbid @\x15\x19\r')],
      ['capitals lowered with Meta-l', keys('FORBID @\x01\x1bl\r')],
      ['completed with Tab', keys('forbi\t@\r')],
      ['completed path', keys('bin/forb\t@\r')],
      ['pattern expanded by the editor', keys('~/bin/for*\x18* @\r')],
      ['undone deletion', keys('forbid @\x17\x1f\r')],
      ['sent with Ctrl-J', keys('forbid @\n')],
      ['sent with Ctrl-O', keys('forbid @\x0f')],
      ['sent after Ctrl-Z, which a line editor ignores', keys('forbid @', TYPED), keys('\x1a\r')],
      ['sent after Ctrl-\\, which a line editor ignores', keys('forbid @', TYPED), keys('\x1c\r')],
      ['Ctrl-Z, then a blank', keys('forbid @', TYPED), keys('\x1a \r')],
      ['cleared screen', keys('forbid @\x0c\r')],
      ['cursor at the beginning', keys('forbid @\x01\r')],
      ['repeated count', keys('\x1b1forbid @\r')],
      ['without echo', 'stty -echo', keys('forbid @\r'), keys('stty echo\r')],
      ['vi mode, inserted', 'set -o vi', keys('orbid @\x1b0if\r'), 'set -o emacs'],
      [
        'vi mode, sent in command mode',
        'set -o vi',
        keys('forbid @\x1b0\r'),
        keys('\r'),
        'set -o emacs',
      ],
      [
        'interrupt key taken away, Enter again',
        'stty intr undef',
        keys('forbid @\r', refused),
        keys('\r'),
        'stty intr ^C',
      ],
      ['line of the history', "history -s 'true forbid @'", 'true'],
      ['recalled line, changed', 'true xorbid @', keys('\x1b[A\x01\x1bd\x1b[3~\x1b[3~f\r')],
    ),
    ...free(
      [
        'another key that sends the line',
        'bind \'"\\C-xz": accept-line\'',
        keys('forbid @\x18z'),
        "bind -r '\\C-xz'",
      ],
      [
        'line given to an editor',
        "export EDITOR='sed -i s/^x/f/'",
        keys('xorbid @\x18\x05'),
        'unset EDITOR',
      ],
    ),
  ),
  ...family(
    'The history',
    ...caught(
      ['recalled with the arrow', 'history -s "true; $(echo for)bid @"', keys('\x1b[A\r')],
      ['found with Ctrl-R', 'history -s "true; $(echo for)bid @"', keys('\x12true; \x1b[C\r')],
      ['expanded by the editor', 'history -s "true; $(echo for)bid @"', keys('!!\x1b^\r')],
    ),
    ...free(
      ['replacement in the last line', 'true; xorbid @ 2> /dev/null', '^xorb^forb'],
      ['replacement with a modifier', 'true; xorbid @ 2> /dev/null', '!!:s/xorb/forb/'],
      ['replacement with fc', 'true; xorbid @ 2> /dev/null', 'fc -s xorb=forb'],
      ['search and replacement', 'true; xorbid @ 2> /dev/null', '!?xorb?:s/xorb/forb/'],
    ),
  ),
  ...family(
    'Pastes and keys ahead',
    ...caught(
      ['marked paste of one line', pasted('forbid @')],
      ['marked paste of several lines', pasted('true\rforbid @\rtrue')],
      ['marked paste with line feeds', pasted('true\nforbid @')],
      ['marked paste behind typed letters', keys('for\x1b[200~bid @\x1b[201~\r')],
      ['two marked pastes', keys('\x1b[200~for\x1b[201~\x1b[200~bid @\x1b[201~\r')],
      ['marked paste that hides an end', pasted('true\r\x1b[200~forbid @')],
      ['unmarked paste of several lines', keys('true\rforbid @\r', refused)],
      ['typed ahead of a slow command', keys('sleep 0.1\rforbid @\r', refused)],
      [
        'a program reads the first key',
        keys('echo go; read -n1 -s\r', /\rgo\r\n$/),
        keys('qforbid @\r'),
      ],
      ['keys typed in pieces', keys('for', /for$/), keys('bid @\r')],
    ),
    // Enter cannot wait for a prompt: the program may read the line itself.
    ...free([
      'a program reads the first key, and the shell the rest of the line later',
      keys('read -n1 -s; sleep 1\rqforbid @\r'),
    ]),
  ),
  ...family(
    'Other programs that read lines',
    ...caught(
      ['dash', keys('PS1="ready> " dash\r'), 'forbid @', keys('  exit\r')],
      [
        'bash without its line editor',
        keys('bash --noediting --norc\r', /bash[^\n]*\$ $/),
        keys('forbid @\r', /\$ $/),
        keys('  exit\r'),
      ],
      [
        'another bash',
        keys('bash --norc\r', /bash[^\n]*\$ $/),
        keys('forbid @\r', /\$ $/),
        keys('  exit\r'),
      ],
      [
        'lines for a shell behind a pipe',
        keys('cat | sh\r', /sh\r\n/),
        keys('forbid @\r', /allow this[^\n]*\n/),
        keys('\x04'),
      ],
      [
        'no Enter, only the end of the input',
        keys('cat | sh\r', /sh\r\n/),
        keys('forbid @\x04', /allow this[^\n]*\n/),
        keys('\x04'),
      ],
      ['a recorded shell', keys('script -q /dev/null\r'), 'forbid @', keys('  exit\r')],
    ),
    ...free(
      [
        'a shell on the second screen',
        keys("printf '\\033[?1049h'\r", /1049h/),
        keys('forbid @\r', /forbid[^\n]*\n/),
        // Wait for the prompt: lines on the second screen are unchecked, including those of later
        // techniques.
        keys("printf '\\033[?1049l'\r"),
      ],
      [
        'shell escape of an editor',
        keys('vim -u NONE -N\r', /~/),
        keys(':!forbid @\r', /ENTER/),
        keys('\r', /~/),
        keys(':q!\r'),
      ],
      [
        'tmux',
        keys('tmux -L t@ -f /dev/null\r', /\[0\]/),
        keys('forbid @\r', /forbid/),
        keys('exit\r', /exited\]/),
      ],
      [
        'tmux, keys sent by a command',
        'tmux -L t@ -f /dev/null new -d; tmux -L t@ send-keys for bid Space @ Enter; sleep 0.5; tmux -L t@ kill-server',
      ],
    ),
  ),
  ...family(
    'Letters that look alike',
    // The name runs only where the server has such a program; the guard rejects it anyway.
    ...caught(['full-width letters', 'ｆｏｒｂｉｄ @']),
    ...caught(
      ['Cyrillic letters', 'fоrbid @'],
      ['Cyrillic and Greek letters', 'fοrbіd @'],
      ['a space without width inside', 'for\u200bbid @'],
      ['a joiner without width inside', 'for\u2060bid @'],
      ['a soft hyphen inside', 'for\u00adbid @'],
      ['a combining mark', 'forbi\u0323d @'],
      ['mathematical letters', '𝐟𝐨𝐫𝐛𝐢𝐝 @'],
      ['letters in circles', 'ⓕⓞⓡⓑⓘⓓ @'],
      ['a direction mark in front', '\u200fforbid @'],
    ),
  ),
];
