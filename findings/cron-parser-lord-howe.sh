#!/bin/bash
# cron-parser throws for a daily expression when the walk passes the half hour that Lord Howe Island
# repeats, and leaves out the day on which the same half hour is skipped.
set -euo pipefail
CRON_PARSER=5.10.5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts "cron-parser@$CRON_PARSER" >/dev/null
cat > run.cjs <<'JS'
const { CronExpressionParser } = require('cron-parser');
const walk = (expression, from) => {
  try {
    const interval = CronExpressionParser.parse(expression, {
      tz: 'Australia/Lord_Howe',
      currentDate: new Date(from),
    });
    return [1, 2, 3].map(() => interval.next().toISOString());
  } catch (error) {
    return error.message;
  }
};
console.log(`cron-parser ${require('cron-parser/package.json').version}`);
// 2026-04-05 02:00 +11:00 becomes 01:30 +10:30.
const repeated = walk('0 12 * * *', '2026-04-03T13:00Z');
console.log('noon of three days around the repeated half hour:', repeated);
// 2026-10-04 02:00 +10:30 becomes 02:30 +11:00.
const skipped = walk('15 2 * * *', '2026-10-02T14:00Z');
console.log('02:15 of three days around the skipped half hour:', skipped);
const isAsSeen =
  repeated === 'Invalid expression, loop limit exceeded' &&
  skipped[0] === '2026-10-02T15:45:00.000Z' &&
  skipped[1] === '2026-10-04T15:15:00.000Z';
process.exit(isAsSeen ? 0 : 1);
JS
node run.cjs
