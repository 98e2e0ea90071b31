import { Skeleton } from '@mantine/core';
import styles from './Form.module.css';
import { FoldTitle, SectionFrame } from './FormSection.tsx';
import type { FieldOverrides, FormGroup } from './spec.ts';

/**
 * Placeholder of a form while its values load: its sections, and the fields that do not depend on
 * values.
 */
export function FormShape({
  groups,
  overrides,
}: {
  readonly groups: readonly FormGroup[];
  readonly overrides: FieldOverrides;
}) {
  return (
    <div className={styles.form} aria-busy="true">
      <div className={styles.card}>
        {groups.map((group) => {
          const names = group.fields.filter((name) => !overrides[name]?.hidden);
          if (names.length === 0) return null;
          if (group.isFolded)
            return (
              <div key={group.title.en} className={styles.section}>
                <FoldTitle group={group} isOpen={false} />
              </div>
            );
          return (
            <SectionFrame
              key={group.title.en}
              group={group}
              count={names.length}
              isOnly={groups.length === 1}
            >
              {names.map((name) => (
                <div key={name}>
                  <Skeleton height={12} width={120} mb={8} />
                  <Skeleton height={36} />
                </div>
              ))}
            </SectionFrame>
          );
        })}
      </div>
    </div>
  );
}
