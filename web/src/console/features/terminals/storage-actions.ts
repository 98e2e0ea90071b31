import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { objectUrl } from '../../resource/source.ts';
import { words } from './words.ts';

/** Whether storages of a type are outside of the servers and the database: those need to be reached, and only they can be changed. */
export const isOutside = (type: unknown) => type !== 'server' && type !== 'null';

const mayChange = ({ type }: { readonly type: string }) => isOutside(type) || t(words.builtIn);

/** What may be done with a storage. */
export const storageFlags = { hasDelete: true, canUpdate: mayChange, canDelete: mayChange };

/** Has the server keep something in a storage, read it and delete it, and shows what became of that. */
export async function tryOut(source: Parameters<typeof objectUrl>[0], id: string): Promise<void> {
  const { is_valid: isValid, msg } = await api.get<{ is_valid: boolean; msg: string }>(
    `${objectUrl(source, id)}test-connective/`,
  );
  if (isValid) toast.success(msg);
  else toast.error(msg);
}
