import type { LocalText } from '@sallyport/contract';
import type { FoundHardware } from '../assets/findings.ts';

/** What became of one asset. */
export type AssetReport<Result> = {
  readonly assetId: string;
  readonly name: string;
  readonly milliseconds: number;
} & (
  | { readonly state: 'done'; readonly result: Result }
  | { readonly state: 'failed'; readonly reason: LocalText }
  /** It was not contacted, and nothing is known about it: it is switched off, has no account to work with, or work on it is not supported. */
  | { readonly state: 'skipped'; readonly reason: LocalText }
);

/** A run over assets. */
export interface AssetRun<Result> {
  /** Pages of ids. */
  readonly assets: AsyncIterable<readonly string[]>;
  readonly parallel: number;
  readonly signal: AbortSignal;
  onReport(report: AssetReport<Result>): Promise<void>;
}

/** Work on the servers of assets, as their admin users. The gateway brings it: it has the connections. */
export interface RemoteWork {
  /** Signs in and proves that commands run. */
  test(run: AssetRun<undefined>): Promise<void>;
  readHardware(run: AssetRun<FoundHardware>): Promise<void>;
}
