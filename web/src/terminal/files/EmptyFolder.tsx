import { Button, Skeleton } from '@mantine/core';
import { common, t } from '../../kit/i18n/index.ts';
import styles from './Files.module.css';
import type { FileManager, FilesSnapshot } from './file-manager.ts';
import { words } from './words.ts';

interface Props {
  readonly manager: FileManager;
  readonly state: FilesSnapshot;
  readonly isFiltered: boolean;
  readonly mayUpload: boolean;
  readonly onClear: () => void;
}

/** A folder without visible files: it failed, is loading, is empty, or the filter hides them. */
export function EmptyFolder({ manager, state, isFiltered, mayUpload, onClear }: Props) {
  return (
    <div className={styles.over}>
      {state.error !== null ? (
        <div role="alert">
          <strong>{t(words.failed)}</strong>
          <p>{state.error}</p>
          <Button size="xs" variant="default" onClick={() => void manager.refresh()}>
            {t(common.retry)}
          </Button>
        </div>
      ) : state.isLoading ? (
        <div aria-busy="true" className={styles.skeletons}>
          {[52, 38, 61, 45, 57, 33].map((width) => (
            <Skeleton key={width} height={14} width={`${width}%`} />
          ))}
        </div>
      ) : (
        <div>
          <strong>{t(isFiltered ? words.nothing : words.empty)}</strong>
          {isFiltered ? (
            <Button size="xs" variant="default" onClick={onClear}>
              {t(words.clearFilter)}
            </Button>
          ) : mayUpload ? (
            <p>{t(words.emptyHint)}</p>
          ) : null}
        </div>
      )}
    </div>
  );
}
