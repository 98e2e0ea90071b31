import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { gatewayRig } from '../../../testing/gateway/gateway-rig.ts';
import { denyRule, ruleGuard } from '../../../testing/gateway/rule-guard.ts';

let judged: string[];
const guard = ruleGuard([denyRule('denyme')], (line) => judged.push(line));
const rig = gatewayRig({ guard });
beforeAll(async () => {
  const start = [
    "PS1='ready> '; export LC_ALL=C.UTF-8; denyme() { echo denied-ran; }",
    // Prints rows that mostly continue the row above, a different number each time.
    'fill() { printf "%0400d\\n" 1 2 3 4 5 6 7 8 9; seq $1; }',
    '',
  ];
  await writeFile(join(rig.sshd.home, '.bash_profile'), start.join('\n'), { mode: 0o644 });
});
beforeEach(() => {
  judged = [];
});

const commands = () => [...rig.ports.rows.values()].flatMap((row) => row.commands);

it('judges and logs a line without older rows once 300 rows have scrolled off', async () => {
  const client = await rig.openTerminal();
  const lines = Array.from({ length: 12 }, (_, index) => `fill ${index}; echo s"h"own ${index}`);
  for (const [index, line] of lines.entries()) {
    client.type(`${line}x\x7f\r`);
    await client.waitFor(`shown ${index}\r\n`);
    await client.waitFor('ready> ');
  }
  client.type('exit\r');
  await client.message('closed');
  await rig.finished(client);
  expect(judged).toEqual([...lines, 'exit']);
  expect(commands().map(({ input }) => input)).toEqual([...lines, 'exit']);
});
