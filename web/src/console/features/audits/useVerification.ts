import type { AuditVerification } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';

/** Query key of the last verification of the audit logs. */
export const VERIFICATION_KEY = ['audits', 'verification'];

const EVERY_MILLISECONDS = 60_000;

/** The last verification of the audit logs; undefined while loading. */
export function useVerification(): AuditVerification | undefined {
  const { data } = useQuery({
    queryKey: VERIFICATION_KEY,
    queryFn: ({ signal }) =>
      api.get<AuditVerification>('audits/verification/', { signal, quiet: true }),
    refetchInterval: EVERY_MILLISECONDS,
  });
  return data;
}
