import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  restore: { zh: '恢复', en: 'Restore' },
  restoreSelected: { zh: '恢复所选', en: 'Restore selected' },
  restored: { zh: '已恢复', en: 'Restored' },
  notRestored: { zh: '未能恢复', en: 'The object was not restored' },
  taken: {
    zh: '“{name}”的{field}已被占用，请填写其他{field}。',
    en: 'Another object has the {field} of "{name}". Restore it with another one.',
  },
  otherName: { zh: '恢复后的{field}', en: '{field} of the restored object' },
  mustBeUnique: { zh: '不可与现有对象重复', en: 'Must differ from all present objects' },
  empty: { zh: '没有最近删除的对象', en: 'Nothing was deleted recently' },
  emptyHint: {
    zh: '已删除的资产、用户、用户组、系统用户、授权和命令过滤器会在此保留，期间可恢复。',
    en: 'Deleted assets, users, groups, system users, permissions and command filters stay here for a while and can be restored.',
  },
});
