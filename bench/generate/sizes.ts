const { SALLYPORT_BENCH_SCALE: scale = '1', SALLYPORT_BENCH_COMMANDS: commands } = process.env;

/** `SALLYPORT_BENCH_SCALE=10` makes an installation of ten times the size. */
export const SCALE = Number(scale);

/**
 * Nodes on each level below the root: a few regions, their sites, rooms, systems and services. The
 * root is counted in the first.
 */
export const LEVELS = [9, 90, 900, 3_000, 6_000].map((nodes) => nodes * SCALE);

/** Rows that the generator writes. */
export const SIZES = {
  nodes: LEVELS.reduce((sum, nodes) => sum + nodes, 1),
  assets: 100_000 * SCALE,
  users: 1_000 * SCALE,
  groups: 200 * SCALE,
  systemUsers: 50,
  rules: 5_000 * SCALE,
  assetUsers: 50_000 * SCALE,
  databases: 500,
  databaseAccounts: 20,
  databaseRules: 1_000,
  sessions: 1_000_000 * SCALE,
  /**
   * Ten of every tenth session, which `npm run bench -- commands` adds.
   * `SALLYPORT_BENCH_COMMANDS` sets another number, at most ten for each session.
   */
  commands: commands === undefined ? 1_000_000 * SCALE : Number(commands),
  /** Newest sessions with text in the search of screens. */
  screens: 100_000 * SCALE,
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
