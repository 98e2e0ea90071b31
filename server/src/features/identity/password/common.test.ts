import { expect, it } from 'vitest';
import { isCommonPassword } from './common.ts';

const OWNER = ['li.wei', 'Li Wei', 'li.wei@example.com', 'ops-2024'];

it.each([
  '123456',
  'Password',
  'p@ssw0rd',
  'P@ssw0rd2026!',
  'Admin@123',
  'qwerty!',
  'iloveyou99',
  'LI.WEI',
  'li.wei2026',
  'Li Wei!',
  'li.wei@example.com',
  'ops-2024',
  'Ops-202499!',
])('recognizes %s', async (password) => {
  expect(await isCommonPassword(password, OWNER)).toBe(true);
});

it.each([
  'correct-Horse-7-battery',
  'first administrator 1',
  'a new one 1',
  '我的密码很长',
  'zhao.lei',
  'li.weiwei',
])('accepts %s', async (password) => {
  expect(await isCommonPassword(password, [...OWNER, '', null, undefined])).toBe(false);
});
