import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  usualColumns: { zh: '恢复默认列', en: 'Reset columns' },
  density: { zh: '行高', en: 'Row height' },
  comfortable: { zh: '宽松', en: 'Comfortable' },
  compact: { zh: '紧凑', en: 'Compact' },
  columns: { zh: '显示的列', en: 'Columns' },
  moveLeft: { zh: '将“{name}”左移', en: 'Move {name} to the left' },
  moveRight: { zh: '将“{name}”右移', en: 'Move {name} to the right' },
  widthOf: { zh: '“{name}”列的宽度', en: 'Width of column {name}' },
  widthAuto: { zh: '自动', en: 'auto' },
});
