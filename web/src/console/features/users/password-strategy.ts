import type { FormValues } from '../../resource/form/form-state.ts';

/** The new user receives a link by mail to choose a password. */
export const BY_MAIL = 0;
/** The administrator enters the password in the form. */
export const BY_HAND = 1;

/**
 * Returns true if the form asks for a password: for local accounts, unless the user chooses it by
 * mail or keeps it.
 */
export function asksForPassword(values: FormValues, updating: boolean): boolean {
  if (values.source !== 'local') return false;
  return updating ? values.update_password === true : values.password_strategy !== BY_MAIL;
}

/**
 * Builds the request body. Omits a password entered before switching to the mailed link. For
 * accounts of an external source, omits password and strategy.
 */
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
