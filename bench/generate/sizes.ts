const {
  SALLYPORT_BENCH_SCALE: scale = '1',
  SALLYPORT_BENCH_SESSIONS: sessions,
  SALLYPORT_BENCH_COMMANDS: commands,
} = process.env;

/**
 * `SALLYPORT_BENCH_SCALE=10` makes an installation of ten times the size, and `0.01` one of 1,000
 * assets.
 */
export const SCALE = Number(scale);

const scaled = (amount: number): number => Math.max(1, Math.round(amount * SCALE));

/**
 * Nodes on each level below the root: a few regions, their sites, rooms, systems and services. The
 * root is counted in the first.
 */
export const LEVELS = [9, 90, 900, 3_000, 6_000].map(scaled);

/** Rows that the generator writes. */
export const SIZES = {
  nodes: LEVELS.reduce((sum, nodes) => sum + nodes, 1),
  assets: scaled(100_000),
  users: scaled(1_000),
  groups: scaled(200),
  systemUsers: 50,
  rules: scaled(5_000),
  assetUsers: scaled(50_000),
  databases: 500,
  databaseAccounts: 20,
  databaseRules: 1_000,
  /** `SALLYPORT_BENCH_SESSIONS` sets another number. */
  sessions: sessions === undefined ? scaled(1_000_000) : Number(sessions),
  /**
   * Ten of every tenth session, which `npm run bench -- commands` adds.
   * `SALLYPORT_BENCH_COMMANDS` sets another number, at most ten for each session.
   */
  commands: commands === undefined ? scaled(1_000_000) : Number(commands),
  /** Newest sessions with text in the search of screens. */
  screens: scaled(100_000),
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
