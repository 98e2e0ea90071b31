import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { requirePeers } from '../server/src/testing/peers.ts';
import { ROOT } from './lib.mjs';

requirePeers('prometheus');

const ALERTS = join(ROOT, 'packaging/monitoring/alerts.yaml');

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-monitoring-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs promtool. Returns its status and output. */
function promtool(...words) {
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

it('accepts every alert rule', () => {
  const { groups } = parse(readFileSync(ALERTS, 'utf8'));
  const amount = groups.flatMap(({ rules }) => rules).length;
  const { status, output } = promtool('check', 'rules', '--lint-fatal', ALERTS);
  expect(output).toContain(`SUCCESS: ${amount} rules found`);
  expect(status).toBe(0);
});

it('rejects a rule with a mistake', () => {
  const path = join(folder, 'alerts.yaml');
  const text = readFileSync(ALERTS, 'utf8');
  writeFileSync(path, text.replace('sallyport_database_up == 0', 'sallyport_database_up == =0'));
  const { status, output } = promtool('check', 'rules', path);
  expect(status).not.toBe(0);
  expect(output).toContain('SallyportDatabaseDown');
});

it('raises an alert when the server is down and when the disk fills', () => {
  const path = join(folder, 'alerts.test.yaml');
  const test = {
    rule_files: [ALERTS],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [
          { series: 'up{job="sallyport",instance="one:9090"}', values: '1 1 0x10' },
          { series: 'sallyport_recordings_free_bytes', values: '1000 1000 99x10' },
          { series: 'sallyport_recordings_reserve_bytes', values: '100x12' },
        ],
        alert_rule_test: [
          { eval_time: '1m', alertname: 'SallyportDown', exp_alerts: [] },
          {
            eval_time: '5m',
            alertname: 'SallyportDown',
            exp_alerts: [
              {
                exp_labels: { severity: 'critical', job: 'sallyport', instance: 'one:9090' },
                exp_annotations: { summary: 'Sallyport on one:9090 does not answer.' },
              },
            ],
          },
          { eval_time: '1m', alertname: 'SallyportRecordingsDiskReserve', exp_alerts: [] },
          {
            eval_time: '3m',
            alertname: 'SallyportRecordingsDiskReserve',
            exp_alerts: [
              {
                exp_labels: { severity: 'critical' },
                exp_annotations: {
                  summary:
                    'Free space is below the disk reserve. ' +
                    'No session begins; below half of it sessions end.',
                },
              },
            ],
          },
        ],
      },
    ],
  };
  writeFileSync(path, JSON.stringify(test));
  const { status, output } = promtool('test', 'rules', path);
  expect(output).toContain('SUCCESS');
  expect(status).toBe(0);
});
