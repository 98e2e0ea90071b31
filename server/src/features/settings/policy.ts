import { Permission } from '@sallyport/contract';

/** Only administrators of the whole installation change how it works. */
export const SUPER = Permission.SUPER | Permission.ADMIN;
