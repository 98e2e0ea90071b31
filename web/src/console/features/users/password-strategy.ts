import type { FormValues } from '../../resource/form/form-state.ts';

/** A link to choose a password is mailed to the new person. */
export const BY_MAIL = 0;
/** It is typed in the form. */
export const BY_HAND = 1;

/** Whether the form asks for a password: of accounts that are kept here, unless it is chosen by mail or left as it is. */
export function asksForPassword(values: FormValues, updating: boolean): boolean {
  if (values.source !== 'local') return false;
  return updating ? values.update_password === true : values.password_strategy !== BY_MAIL;
}

/** What is sent of a form: no password that was typed and then not wanted, and no way to one that is kept elsewhere. */
export function sentBody(
  body: Record<string, unknown>,
  values: FormValues,
): Record<string, unknown> {
  const { password_strategy: strategy, password, ...rest } = body;
  if (values.source !== 'local') return rest;
  return {
    ...rest,
    ...(strategy !== undefined && { password_strategy: strategy }),
    ...(password !== undefined && strategy !== BY_MAIL && { password }),
  };
}
