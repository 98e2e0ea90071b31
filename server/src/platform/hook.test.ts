import { expect, it } from 'vitest';
import { createHook } from './hook.ts';

it('calls the default until a function is set, and refuses a second one', () => {
  const hook = createHook('the greeting', (name: string) => `nobody greets ${name}`);
  expect(hook.call('Li')).toBe('nobody greets Li');
  hook.set((name) => `hello ${name}`);
  expect(hook.call('Li')).toBe('hello Li');
  expect(() => hook.set(() => '')).toThrow('the greeting is set');
  expect(hook.call('Li')).toBe('hello Li');
});
