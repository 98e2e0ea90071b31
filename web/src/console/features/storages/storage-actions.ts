import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { objectUrl } from '../../resource/source.ts';
import { words } from './words.ts';

/** Returns true if a storage type is external. Only external storages can be tested and changed. */
export const isOutside = (type: unknown) => type !== 'server' && type !== 'null';

const mayChange = ({ type }: { readonly type: string }) => isOutside(type) || t(words.builtIn);

/** Permitted actions on a storage. */
export const storageFlags = { hasDelete: true, canUpdate: mayChange, canDelete: mayChange };

/** Asks the server to write, read and delete a test object in a storage, and shows the result. */
export async function tryOut(source: Parameters<typeof objectUrl>[0], id: string): Promise<void> {
  const { is_valid: isValid, msg } = await api.get<{ is_valid: boolean; msg: string }>(
    `${objectUrl(source, id)}test-connective/`,
  );
  if (isValid) toast.success(msg);
  else toast.error(msg);
}
