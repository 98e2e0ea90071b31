import type { LocalText } from '@sallyport/contract';
import type { TriedStorage } from '../../platform/storage/recordings.ts';

/** Says what a bucket keeps although Sallyport deletes it: rules of the bucket must remove it. */
export function remarksOn({ keepsVersions, lock, isRetained }: TriedStorage): readonly LocalText[] {
  const remarks: LocalText[] = [];
  if (isRetained)
    remarks.push({
      en: 'The bucket locks its objects and kept the test object: expired recordings stay until the lock ends, and retention then deletes them',
      zh: '存储桶锁定对象，测试对象未被删除：到期的录像保留到锁定结束，之后由清理任务删除',
    });
  if (lock)
    remarks.push({
      en: `New objects are locked (${lock})`,
      zh: `新对象会被锁定（${lock}）`,
    });
  if (keepsVersions)
    remarks.push({
      en: 'The bucket keeps versions: add a rule that removes old versions, or deleted recordings remain',
      zh: '存储桶启用了版本控制：请添加清理旧版本的规则，否则已删除的录像仍会保留',
    });
  return remarks;
}
