import { inSlices, type Sliced } from '../../platform/slices.ts';
import type { ListedAssets } from './listed-assets.ts';
import { ORIGINS } from './rows.ts';

/** The counts per asset: all accounts, the best per username, and those of each origin. */
export const SHAPES = ['all', 'latest', ...ORIGINS] as const;
export type Shape = (typeof SHAPES)[number];

/** Order of assets in a list. The order within an asset is fixed. */
export type AssetOrder = 'hostname' | '-hostname' | 'ip' | '-ip';

/** Account counts of one asset, in the order of {@link SHAPES}. */
export interface AssetAmounts {
  readonly id: string;
  readonly amounts: readonly number[];
}

/** A page of a list. */
export interface PageRequest {
  readonly shape: Shape;
  readonly order: AssetOrder;
  /** Lower-case texts that hostname and address must contain together. */
  readonly texts: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/** The assets that a page consists of. */
export interface PageAssets {
  /** Number of accounts in the whole list. */
  readonly total: number;
  readonly assets: readonly string[];
  /** Number of accounts of the first asset that belong to earlier pages. */
  readonly skip: number;
}

/** Account counts of the assets of one organization. */
export interface Amounts {
  /** Replaces the counts of the assets `ids`; those missing from `counted` have no accounts. */
  set(counted: readonly AssetAmounts[], ids: readonly string[]): void;
  /** A search of many assets pauses. Counts that change meanwhile may or may not be seen. */
  find(request: PageRequest): Promise<PageAssets>;
  /** Totals of other lists, by their query. Cleared when a count changes. */
  readonly counts: Map<string, number>;
  /**
   * Returns true if a username contains one of these texts. Then a search can match some accounts
   * of an asset only.
   */
  hasUsername(texts: readonly string[]): boolean;
}

/** Assets that a search passes between two pauses. */
const BETWEEN_PAUSES = 10_000;

/** Creates counts of zero. */
export function createAmounts(assets: ListedAssets, usernames: readonly string[]): Amounts {
  const { length } = assets.ids;
  const ipOrder = assets.ipOrder();
  const amounts = SHAPES.map(() => new Uint32Array(length));
  /** Prefix sums of counts in an order; for lists without a search. */
  const sums = new Map<string, Float64Array>();
  const counts = new Map<string, number>();

  const sumOf = (shape: Shape, isByIp: boolean, numbers: Uint32Array): Float64Array => {
    const key = `${shape} ${isByIp}`;
    const cached = sums.get(key);
    if (cached) return cached;
    const sum = new Float64Array(length + 1);
    for (let at = 0; at < length; at++)
      sum[at + 1] = (sum[at] ?? 0) + (numbers[isByIp ? (ipOrder[at] ?? 0) : at] ?? 0);
    sums.set(key, sum);
    return sum;
  };

  return {
    counts,
    set(counted, ids) {
      for (const id of ids) {
        const place = assets.placeOf(id);
        if (place !== undefined) for (const numbers of amounts) numbers[place] = 0;
      }
      for (const { id, amounts: values } of counted) {
        const place = assets.placeOf(id);
        if (place !== undefined)
          for (const [at, numbers] of amounts.entries()) numbers[place] = values[at] ?? 0;
      }
      sums.clear();
      counts.clear();
    },
    hasUsername: (texts) =>
      usernames.some((username) => texts.some((text) => username.includes(text))),
    async find({ shape, order, texts, offset, limit }) {
      const numbers = amounts[SHAPES.indexOf(shape)] ?? new Uint32Array();
      const [isByIp, isDown] = [order.endsWith('ip'), order.startsWith('-')];
      const placeOf = (at: number): number => {
        const here = isDown ? length - 1 - at : at;
        return isByIp ? (ipOrder[here] ?? 0) : here;
      };
      if (texts.length > 0) return inSlices(search());
      // In descending order, the accounts before a place are those after it in ascending order.
      const sum = sumOf(shape, isByIp, numbers);
      const total = sum[length] ?? 0;
      const before = (at: number) => (isDown ? total - (sum[length - at] ?? 0) : (sum[at] ?? 0));
      let [low, high] = [0, length];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (before(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      const ids: string[] = [];
      const end = offset + limit;
      for (let at = low; at < length && before(at) < end; at++) {
        const place = placeOf(at);
        const id = assets.ids[place];
        if (id !== undefined && (numbers[place] ?? 0) > 0) ids.push(id);
      }
      return { total, assets: ids, skip: offset - before(low) };

      /** Searches the texts of all assets once. */
      function* search(): Sliced<PageAssets> {
        const matches = yield* assets.matching(texts);
        const ids: string[] = [];
        let [seen, skip] = [0, 0];
        for (let at = 0; at < length; at++) {
          if (at % BETWEEN_PAUSES === 0) yield;
          const place = placeOf(at);
          const count = matches[place] ? (numbers[place] ?? 0) : 0;
          if (count === 0) continue;
          const id = assets.ids[place];
          if (id !== undefined && seen + count > offset && seen < offset + limit) {
            if (ids.length === 0) skip = offset - seen;
            ids.push(id);
          }
          seen += count;
        }
        return { total: seen, assets: ids, skip };
      }
    },
  };
}
