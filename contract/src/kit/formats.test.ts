import { expect, it } from 'vitest';
import { FORMATS } from './formats.ts';

it('accepts addresses and host names, and rejects dotted numbers that are no address', () => {
  const accepted = [
    '10.0.0.1',
    'web-1',
    'web-1.example.com',
    '3com.example',
    '1a.2b',
    'fe80::1',
    '数据库',
    '42',
  ];
  const rejected = [
    '300.1.2.3',
    '10.0.0',
    '10.0.0.1.5',
    '10.0.0.256',
    '1.2.3.4.',
    '10.0.0.',
    'web 1',
    '',
  ];
  expect(accepted.filter((text) => !FORMATS.host.accepts(text))).toEqual([]);
  expect(rejected.filter((text) => FORMATS.host.accepts(text))).toEqual([]);
});
