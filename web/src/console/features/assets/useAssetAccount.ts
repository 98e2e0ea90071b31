import { adminUser } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError, api, type FieldMessages } from '../../../kit/api.ts';
import type { FormValues } from '../../resource/form/form-state.ts';
import { cacheKey, listUrl } from '../../resource/source.ts';
import { type AccountField, isNewAccount } from './asset-account.ts';

const FORM_NAMES: Readonly<Record<string, AccountField>> = {
  name: 'account_username',
  username: 'account_username',
  password: 'account_password',
  private_key: 'account_key',
};

/** Returns the problems of an admin user under the fields of the asset form. */
const renamed = (fields: FieldMessages): FieldMessages =>
  Object.fromEntries(
    Object.entries(fields).map(([name, texts]) => [FORM_NAMES[name] ?? name, texts]),
  );

/**
 * Returns a step of saving an asset that creates the new admin user first. If the asset is rejected
 * afterwards, the next attempt uses the admin user that exists by then.
 */
export function useAssetAccount() {
  const client = useQueryClient();
  const created = useRef<{ readonly body: string; readonly id: string }>(undefined);
  return async (values: FormValues): Promise<true | FormValues> => {
    if (!isNewAccount(values)) return true;
    const name = `${values.account_username}@${values.hostname}`;
    const body = {
      name,
      username: values.account_username,
      ...(values.account_password !== '' && { password: values.account_password }),
      ...(values.account_key !== '' && { private_key: values.account_key }),
    };
    const key = JSON.stringify({ ...body, name: undefined });
    if (created.current?.body !== key) {
      try {
        const { id } = await api.post<{ readonly id: string }>(listUrl(adminUser), body);
        created.current = { body: key, id };
      } catch (error) {
        if (!(error instanceof ApiError) || !error.fields) throw error;
        throw new ApiError(error.status, error.code, error.detail, renamed(error.fields));
      }
      await client.invalidateQueries({ queryKey: cacheKey(adminUser) });
    }
    return { ...values, admin_user: created.current?.id };
  };
}
