import { type LocalText, say } from '@sallyport/contract';
import type { AssetReport, RemoteIdentity, RemoteKinds, RemoteWork } from '../connections/index.ts';
import type { Subtask } from './store.ts';
import { words } from './words.ts';

/** Error code of a rejected account. All other codes may mean that the server is unavailable. */
const REFUSED = 'connect_credentials';

/** Returns true if the server rejected the secret. Other failures say nothing about the secret. */
export const isRefused = (report: AssetReport<unknown>): boolean =>
  report.state === 'failed' && report.code === REFUSED;
export const NOTHING: LocalText = { en: '', zh: '' };
export const reasonOf = (report: AssetReport<unknown>): LocalText =>
  report.state === 'done' ? NOTHING : report.reason;
/** Returns true if the server accepted the secret. An account without a shell can sign in, too. */
export const isAccepted = (report: AssetReport<unknown>) =>
  report.state === 'done' || (report.state === 'failed' && report.reached);

/** Puts a reason into a text, in both languages. */
export const filled = (text: LocalText, reason: LocalText): LocalText => ({
  en: say(text, 'en', { reason: reason.en }),
  zh: say(text, 'zh', { reason: reason.zh }),
});

export interface RunSettings {
  readonly as?: RemoteIdentity;
  readonly check?: boolean;
  readonly secondsPerAsset?: number;
  readonly decide?: () => Promise<boolean>;
}

/** Runs one kind of work on the server of a subtask. */
export async function runOnServer<Kind extends keyof RemoteKinds>(
  { remote, signal }: { readonly remote: RemoteWork; readonly signal: AbortSignal },
  { assetId, hostname }: Subtask,
  { kind, input }: { readonly kind: Kind; readonly input: RemoteKinds[Kind]['input'] },
  settings: RunSettings,
): Promise<AssetReport<RemoteKinds[Kind]['result']>> {
  let result: AssetReport<RemoteKinds[Kind]['result']> | undefined;
  async function* assets() {
    if (assetId !== null) yield [assetId];
  }
  await remote.run(kind, async () => input, {
    ...settings,
    assets: assets(),
    parallel: 1,
    signal,
    async onReport(report) {
      result = report;
    },
  });
  return (
    result ?? {
      assetId: assetId ?? '',
      name: hostname,
      username: '',
      milliseconds: 0,
      state: 'skipped',
      reason: words.gone,
    }
  );
}
