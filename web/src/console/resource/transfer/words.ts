import { catalogue } from '../../../kit/i18n/index.ts';

/** Texts for import and export. Texts quoted by the specification must match it. */
export const words = catalogue({
  exportRange: { zh: '导出范围', en: 'Export range' },
  exportAll: { zh: '导出所有', en: 'Export all' },
  exportSelected: { zh: '仅导出所选项', en: 'Export selected rows' },
  exportFiltered: { zh: '仅导出搜索结果', en: 'Export filtered rows' },
  exportFormat: { zh: '文件类型', en: 'File type' },
  exportCsv: { zh: 'CSV', en: 'CSV' },
  exportXlsx: { zh: 'Excel 工作簿', en: 'Excel workbook' },
  saveCsv: { zh: '导出 CSV', en: 'Export CSV' },
  saveXlsx: { zh: '导出 XLSX', en: 'Export XLSX' },
  importMode: { zh: '导入方式', en: 'Import mode' },
  createTemplate: { zh: '下载导入模板', en: 'Download import template' },
  updateTemplate: { zh: '下载更新模板', en: 'Download update template' },
  updateTemplateHint: {
    zh: '先在列表中选择要更新的行，模板中将包含它们。',
    en: 'First select the rows to update in the list. The template then contains them.',
  },
  dropHere: { zh: '将 CSV 文件拖到此处，或', en: 'Drop a CSV file here, or' },
  chooseFile: { zh: '选择文件', en: 'Choose a file' },
  chooseOther: { zh: '选择其他文件', en: 'Choose another file' },
  onlyCsv: { zh: '仅支持 CSV 文件', en: 'Only CSV files are supported' },
  onlyOne: { zh: '一次只能导入一个文件', en: 'Only one file at a time' },
  reading: { zh: '正在读取 {name}', en: 'Reading {name}' },
  checking: {
    zh: '正在检查 {count, number} 行，尚未写入任何数据',
    en: 'Checking {count, plural, one {# row} other {# rows}}; nothing is written yet',
  },
  writing: {
    zh: '正在导入 {count, number} 行',
    en: 'Importing {count, plural, one {# row} other {# rows}}',
  },
  allGood: {
    zh: '{count, number} 行全部通过检查，确认后开始导入。',
    en: '{count, plural, one {The row is valid and ready to import.} other {All # rows are valid and ready to import.}}',
  },
  someBad: {
    zh: '共 {count, number} 行，其中 {bad, number} 行有问题，未导入任何数据。',
    en: '{bad, plural, one {# row has problems} other {# rows have problems}} ({count, number} checked). Nothing was imported.',
  },
  someLeft: {
    zh: '{count, number} 行有问题。',
    en: '{count, plural, one {# row has problems} other {# rows have problems}}.',
  },
  nothingInside: { zh: '文件中没有数据行', en: 'The file contains no rows' },
  refused: { zh: '无法导入此文件', en: 'This file cannot be imported' },
  onlyProblems: { zh: '只看有问题的行', en: 'Only rows with problems' },
  preview: { zh: '预览', en: 'Preview' },
  line: { zh: '行', en: 'Line' },
  verdict: { zh: '检查结果', en: 'Result' },
  good: { zh: '通过', en: 'Valid' },
  lineProblem: { zh: '第 {line} 行. {field}: {message}', en: 'line {line}. {field}: {message}' },
  lineMessage: { zh: '第 {line} 行. {message}', en: 'line {line}. {message}' },
  createdAll: { zh: '导入创建成功，总共：{count}', en: 'Create success, total: {count}' },
  updatedAll: { zh: '导入更新成功，总共：{count}', en: 'Update success, total: {count}' },
  fieldProblem: { zh: '{field}: {message}', en: '{field}: {message}' },
  problemColumn: { zh: '问题', en: 'Problem' },
  importRows: {
    zh: '导入 {count, number} 行',
    en: 'Import {count, plural, one {# row} other {# rows}}',
  },
  importGood: {
    zh: '立即导入 {count, number} 行',
    en: 'Import {count, plural, one {the valid row} other {the # valid rows}} now',
  },
  downloadBad: {
    zh: '下载有问题的 {count, number} 行',
    en: 'Download {count, plural, one {the row with problems} other {the # rows with problems}}',
  },
  checkAgain: { zh: '重新检查', en: 'Check again' },
  editHint: {
    zh: '可直接修改有问题的单元格，然后重新检查。',
    en: 'Fix the cells here and check again, or fix them in a file.',
  },
  changed: { zh: '已修改，尚未检查', en: 'Changed, not checked yet' },
  cell: { zh: '第 {line} 行，{column}', en: 'Line {line}, {column}' },
  createNodes: { zh: '自动创建不存在的节点', en: 'Create nodes that do not exist' },
  importedCount: {
    zh: '已导入 {count, number} 行，其余各行需要修正。',
    en: '{count, plural, one {# row was} other {# rows were}} imported. The other rows still need fixing.',
  },
  showImported: { zh: '查看已导入的行', en: 'Show the imported rows' },
  undoTitle: { zh: '撤销导入', en: 'Undo the import' },
  undoQuestion: {
    zh: '将删除导入的 {count, number} 行。',
    en: 'This deletes {count, plural, one {the imported row} other {the # imported rows}}.',
  },
  undoNodes: {
    zh: '导入时创建的 {count, number} 个节点如果为空，也将删除。',
    en: '{count, plural, one {The node that the import created is also deleted if it is empty} other {The # nodes that the import created are also deleted if they are empty}}.',
  },
  undoKept: {
    zh: '另有 {count, number} 行在导入后被修改或使用，将保留：{names}',
    en: '{count, plural, one {# row stays because it was} other {# rows stay because they were}} changed or used since: {names}',
  },
  undoNothing: {
    zh: '导入的行均已被修改、使用或删除，无法撤销。',
    en: 'Cannot undo: every imported row was changed, used or deleted since.',
  },
  undoFailed: { zh: '撤销失败', en: 'The import was not undone' },
  undone: {
    zh: '已删除 {count, number} 行',
    en: '{count, plural, one {# row} other {# rows}} deleted',
  },
  getFailed: { zh: '获取失败', en: 'Could not load' },
});
