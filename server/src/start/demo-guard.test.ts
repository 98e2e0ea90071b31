import { describe, expect, it } from 'vitest';
import { readConfig, StartError } from '../config.ts';
import { assertDemoIsSafe } from './demo-guard.ts';

const check = (environment: NodeJS.ProcessEnv, flags: readonly string[] = ['--demo']) =>
  assertDemoIsSafe(readConfig(environment, flags));

describe('where the demo starts', () => {
  it('allows loopback with the embedded database', () => {
    for (const host of ['127.0.0.1', '127.8.0.2', '::1', 'localhost'])
      expect(() => check({ SALLYPORT_HTTP_HOST: host })).not.toThrow();
    expect(() => check({})).not.toThrow();
  });

  it('rejects listeners that other machines reach', () => {
    for (const host of [
      '0.0.0.0',
      '::',
      '192.0.2.7',
      'bastion.example.com',
      '127.0.0.1.example.com',
    ]) {
      expect(() => check({ SALLYPORT_HTTP_HOST: host })).toThrow(StartError);
      expect(() => check({ SALLYPORT_HTTP_HOST: host })).toThrow(
        /SALLYPORT_HTTP_HOST.*Leave the variable out/,
      );
    }
    expect(() => check({ SALLYPORT_HTTP_HOST: '0.0.0.0' }, [])).not.toThrow();
  });

  it('rejects an external database', () => {
    const environment = {
      SALLYPORT_DATABASE_URL: 'postgresql://someone:hidden@db.example.com/real',
    };
    expect(() => check(environment)).toThrow(/^SALLYPORT_DATABASE_URL/);
    expect(() => check(environment)).not.toThrow(/hidden/);
    expect(() => check(environment, [])).not.toThrow();
  });
});
