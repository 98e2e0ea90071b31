import { Permission } from '@sallyport/contract';

/** Access to settings: administrators of the installation. */
export const SUPER = Permission.SUPER | Permission.ADMIN;
