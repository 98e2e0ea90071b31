export const words = {
  title: { en: 'Bulk change', zh: '批量更改' },
  changed: {
    en: '{count, plural, one {# object was} other {# objects were}} changed.',
    zh: '已更改 {count, number} 个对象。',
  },
  refused: {
    en: '{count, plural, one {# was} other {# were}} rejected.',
    zh: '{count, number} 个被拒绝。',
  },
  gone: {
    en: '{count, plural, one {# no longer exists} other {# no longer exist}}.',
    zh: '{count, number} 个已不存在。',
  },
  subject: {
    delete: { en: 'Delete {count, number} × {what}', zh: '删除 {count, number} 个{what}' },
    update: { en: 'Edit {count, number} × {what}', zh: '编辑 {count, number} 个{what}' },
    restore: { en: 'Restore {count, number} × {what}', zh: '恢复 {count, number} 个{what}' },
    move: { en: 'Move {count, number} × {what}', zh: '移动 {count, number} 个{what}' },
    add: {
      en: 'Add {count, number} × {what} to a node',
      zh: '添加 {count, number} 个{what}到节点',
    },
  },
} as const;
