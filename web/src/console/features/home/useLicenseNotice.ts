import type { LicenseDetail } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { type LicenseNotice, noticeOf } from './license-notice.ts';

/** The license notice for super administrators, and the state of its loading. */
export function useLicenseNotice(enabled: boolean): {
  readonly notice: LicenseNotice | undefined;
  readonly isPending: boolean;
} {
  const { data, isPending } = useQuery({
    queryKey: ['license'],
    queryFn: ({ signal }) =>
      api.get<LicenseDetail>('xpack/license/detail', { signal, quiet: true }),
    enabled,
  });
  return { notice: data && noticeOf(data), isPending: enabled && isPending };
}
