#!/bin/bash
# @xterm/headless answers the oldest row for the index after the last one, once the scrollback is full.
set -euo pipefail
XTERM=6.0.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts "@xterm/headless@$XTERM" >/dev/null
cat > run.cjs <<'JS'
const { Terminal } = require('@xterm/headless');
const ROWS = 3;
const SCROLLBACK = 4;
const show = (line) => line === undefined ? 'undefined' : JSON.stringify(line.translateToString(true));
const after = (lines) => new Promise((done) => {
  const terminal = new Terminal({ cols: 10, rows: ROWS, scrollback: SCROLLBACK, allowProposedApi: true });
  const text = Array.from({ length: lines }, (_, index) => `line ${index + 1}`).join('\r\n');
  terminal.write(text, () => {
    const { active } = terminal.buffer;
    console.log(`${lines} lines written, length ${active.length}: getLine(0) ${show(active.getLine(0))}, getLine(length) ${show(active.getLine(active.length))}`);
    done(active);
  });
});
(async () => {
  const before = await after(ROWS + SCROLLBACK - 1);
  const full = await after(ROWS + SCROLLBACK + 2);
  const isAsSeen =
    before.getLine(before.length) === undefined &&
    full.getLine(full.length)?.translateToString(true) === full.getLine(0).translateToString(true);
  process.exit(isAsSeen ? 0 : 1);
})();
JS
echo "@xterm/headless $(node -p "require('@xterm/headless/package.json').version"), Node.js $(node --version)"
echo "Its typings: getLine(y) gets a line from the buffer, or undefined if the line index does not exist."
node run.cjs
