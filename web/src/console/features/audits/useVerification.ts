import type { AuditVerification } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';

/** The last verification of the audit logs in the data cache. */
export const VERIFICATION_KEY = ['audits', 'verification'];

const EVERY_MILLISECONDS = 60_000;

/** How the last verification of the audit logs ended; undefined until that is known. */
export function useVerification(): AuditVerification | undefined {
  const { data } = useQuery({
    queryKey: VERIFICATION_KEY,
    queryFn: ({ signal }) =>
      api.get<AuditVerification>('audits/verification/', { signal, quiet: true }),
    refetchInterval: EVERY_MILLISECONDS,
  });
  return data;
}
