import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, verdictOf } from './lib/figure.ts';
import { describeMachine, printFigures, writeReport } from './lib/report.ts';
import { createWorld, type World } from './lib/world.ts';
import { MEASURES } from './measures/index.ts';

/**
 * Runs the named measures (all without a name), prints their figures, and returns whether every
 * budget is met.
 */
async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    options: {
      'data-dir': { type: 'string' },
      long: { type: 'boolean' },
      stage: { type: 'string' },
      before: { type: 'string' },
    },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !(name in MEASURES));
  if (unknown) {
    process.stderr.write(
      `There is no measure ${unknown}. There are: ${Object.keys(MEASURES).join(', ')}.\n`,
    );
    return false;
  }
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const world = createWorld(say, {
    bigFolder: values['data-dir'],
    isLong: values.long,
    stage: values.stage,
    before: values.before,
  });
  const machine = describeMachine();
  say(machine);
  try {
    const names = positionals.length > 0 ? positionals : Object.keys(MEASURES);
    const groups = await measureAll(names, world);
    // A part of the measures is no new record of all of them.
    if (positionals.length === 0)
      writeFileSync(
        resolve(import.meta.dirname, '../docs/benchmarks.md'),
        writeReport(machine, groups),
      );
    return groups.every(({ figures }) => figures.every((figure) => verdictOf(figure) !== 'MISSED'));
  } finally {
    await world.end();
  }
}

async function measureAll(
  names: readonly string[],
  world: World,
): Promise<{ title: string; figures: readonly Figure[] }[]> {
  const groups: { title: string; figures: readonly Figure[] }[] = [];
  for (const name of names) {
    const measure = MEASURES[name];
    if (!measure) continue;
    const began = performance.now();
    world.say(`\n${measure.title}`);
    const figures = await measure.run(world);
    printFigures(figures, world.say);
    world.say(`  (${((performance.now() - began) / 1_000).toFixed(0)} s)`);
    groups.push({ title: measure.title, figures });
  }
  return groups;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exit((await main()) ? 0 : 1);
