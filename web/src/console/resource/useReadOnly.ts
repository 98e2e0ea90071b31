import { allows, Permission } from '@sallyport/contract';
import { common, t } from '../../kit/i18n/index.ts';
import { useSession } from '../base/session.tsx';

const SUPER_ADMINISTRATOR = Permission.SUPER | Permission.ADMIN;

/**
 * Returns the reason for refusing changes that need `needed`, for super auditors on pages of super
 * administrators; undefined for all other users and pages.
 */
export function useReadOnly(needed: number | undefined): string | undefined {
  const { role } = useSession();
  return needed !== undefined &&
    allows(needed, SUPER_ADMINISTRATOR) &&
    allows(role.current, Permission.SUPER) &&
    !allows(role.permissions, needed)
    ? t(common.superAdministratorsChange)
    : undefined;
}
