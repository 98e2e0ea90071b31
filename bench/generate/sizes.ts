/** Rows that the generator writes. */
export const SIZES = {
  nodes: 10_000,
  assets: 100_000,
  users: 1_000,
  groups: 200,
  systemUsers: 50,
  rules: 5_000,
  assetUsers: 50_000,
  databases: 500,
  databaseAccounts: 20,
  databaseRules: 1_000,
  sessions: 1_000_000,
} as const;

/** The accounts of the generated users: `user0001` and so on, all with the same password. */
export const USER_PASSWORD = 'bench-user-password';
/** The password of `admin` in a generated database. */
export const ADMIN_PASSWORD = 'bench-admin-password';
/** This user is granted the root of the tree, so everything. */
export const ROOT_USER = 'user0001';

/** The name of the n-th generated user, from 1. */
export function usernameOf(number: number): string {
  return `user${String(number).padStart(4, '0')}`;
}
