#!/bin/bash
# xterm.js drops a UTF-8 character that arrives in two writes if the first part ends with byte 0x80.
set -euo pipefail
XTERM=6.0.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts "@xterm/headless@$XTERM" >/dev/null
cat > run.cjs <<'JS'
const { Terminal } = require('@xterm/headless');
const shown = (character, at) => new Promise((done) => {
  const terminal = new Terminal({ cols: 20, rows: 2, allowProposedApi: true });
  const bytes = Buffer.from(`<${character}>`);
  terminal.write(bytes.subarray(0, 1 + at));
  terminal.write(bytes.subarray(1 + at), () =>
    done(terminal.buffer.active.getLine(0).translateToString(true)));
});
(async () => {
  let isAsSeen = true;
  // The second byte of the first four is 0x80, of the others not.
  for (const [character, isLost] of [['、', true], ['“', true], ['က', true], ['倀', true], ['中', false], ['é', false]]) {
    const bytes = Buffer.from(character);
    const at = Math.min(2, bytes.length - 1);
    const text = await shown(character, at);
    console.log(`U+${character.codePointAt(0).toString(16)} (${bytes.toString('hex')}) cut after ${at} byte(s): ${text}`);
    if ((text === '<>') !== isLost || (!isLost && text !== `<${character}>`)) isAsSeen = false;
  }
  process.exit(isAsSeen ? 0 : 1);
})();
JS
echo "@xterm/headless $(node -p "require('@xterm/headless/package.json').version"), Node.js $(node --version)"
echo "Its typings: raw bytes will always be treated as UTF-8 encoded. Other characters may arrive in two parts."
node run.cjs
