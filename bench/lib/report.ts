import { cpus, loadavg, release, totalmem } from 'node:os';
import { type Budget, type Figure, verdictOf, writeNumber } from './figure.ts';

/** The machine that measures, in one line. */
export function describeMachine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores of ${cpu?.model.trim() ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, ${process.platform} ${release()}, Node.js ${process.version}; load before the run ${(loadavg()[0] ?? 0).toFixed(1)}`;
}

const writeBudget = (budget: Budget | undefined, unit: string) =>
  budget ? `${budget.kind === 'at most' ? '≤' : '≥'} ${budget.limit} ${unit}` : '';

/** Prints figures as an aligned table. */
export function printFigures(figures: readonly Figure[], say: (line: string) => void): void {
  const width = Math.max(...figures.map(({ name }) => name.length));
  for (const figure of figures) {
    const { name, value, unit, budget, note } = figure;
    const cells = [
      name.padEnd(width),
      `${writeNumber(value)} ${unit}`.padStart(12),
      writeBudget(budget, unit).padEnd(12),
      verdictOf(figure).padEnd(6),
      note ?? '',
    ];
    say(`  ${cells.join('  ').trimEnd()}`);
  }
}

/** The page that keeps the figures of one run. */
export function writeReport(
  machine: string,
  groups: readonly { readonly title: string; readonly figures: readonly Figure[] }[],
): string {
  const missed = groups
    .flatMap(({ figures }) => figures)
    .filter((figure) => verdictOf(figure) === 'MISSED');
  const lines = [
    '# Benchmarks',
    '',
    'Written by `npm run bench`; `npm run bench -- <name>` runs one measure, and `SALLYPORT_BENCH_SCALE=10` makes the large installation ten times as large. Every figure is of one run on one machine:',
    '',
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Machine: ${machine}`,
    `- Budgets: ${missed.length === 0 ? 'all met' : `missed by ${missed.map(({ name }) => name).join('; ')}`}`,
    '',
    'The echo of OpenSSH alone, without Sallyport, shows the speed of the machine during the run: where it doubles, the other figures double too.',
  ];
  for (const { title, figures } of groups) {
    lines.push(
      '',
      `## ${title}`,
      '',
      '| Figure | Value | Budget | Verdict | Remark |',
      '| --- | ---: | ---: | --- | --- |',
    );
    for (const figure of figures) {
      const { name, value, unit, budget, note } = figure;
      lines.push(
        `| ${name} | ${writeNumber(value)} ${unit} | ${writeBudget(budget, unit)} | ${verdictOf(figure)} | ${note ?? ''} |`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
