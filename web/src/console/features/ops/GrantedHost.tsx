import { Checkbox, Tooltip } from '@mantine/core';
import type { TreeNode } from '@sallyport/contract';
import type { ChangeEvent } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import styles from './Batch.module.css';
import { hasSsh } from './has-ssh.ts';
import type { Host, HostSelection } from './useHostSelection.ts';
import { words } from './words.ts';

/** The selectable hosts between two boxes of a list or tree, in the order on the screen. */
function hostsBetween(one: Element, other: Element, root: Element): readonly Host[] {
  const boxes = [...root.querySelectorAll<HTMLInputElement>('input[data-host]:enabled')];
  const ends = [one, other].map((box) => boxes.indexOf(box as HTMLInputElement));
  if (ends.includes(-1)) return [];
  return boxes
    .slice(Math.min(...ends), Math.max(...ends) + 1)
    .filter((box) => box.offsetParent !== null)
    .map(({ dataset: { host = '', hostname = '', ip = '' } }) => ({ id: host, hostname, ip }));
}

/** The last used box, where a range with Shift starts. */
let last: Element | undefined;

interface GrantedHostProps {
  readonly node: TreeNode;
  readonly selection: HostSelection;
}

/** A granted asset with a checkbox. Shift changes all boxes from the last used one to this one. */
export function GrantedHost({ node, selection: { hosts, change } }: GrantedHostProps) {
  if (node.meta.type !== 'asset') return null;
  const { id, hostname, ip, protocols } = node.meta.asset;
  const canRun = hasSsh(protocols);
  function choose({ currentTarget: box, nativeEvent }: ChangeEvent<HTMLInputElement>) {
    const root = box.closest('[data-hosts]');
    const hasShift = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
    const range = hasShift && last && root ? hostsBetween(last, box, root) : [];
    change(range.length > 0 ? range : [{ id, hostname, ip }], box.checked);
    last = box;
  }
  const box = (
    <Checkbox
      size="xs"
      className={styles.box}
      data-host={id}
      data-hostname={hostname}
      data-ip={ip}
      label={
        <>
          {hostname} <span className={styles.ip}>{ip}</span>
        </>
      }
      checked={hosts.has(id)}
      disabled={!canRun}
      onChange={choose}
    />
  );
  return (
    <li className={styles.leaf}>
      {canRun ? box : <Tooltip label={t(words.noSsh)}>{box}</Tooltip>}
    </li>
  );
}
