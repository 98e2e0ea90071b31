import type { LocalText } from '@sallyport/contract';
import { ERRORS, FIELD_ERRORS, say } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { common } from '../kit/i18n/common.ts';
import { words as password } from '../kit/identity/words.ts';
import { words as frame } from './base/words.ts';
import { words as settings } from './features/settings/words.ts';
import { words as bulk } from './resource/bulk/words.ts';
import { words as detailWords } from './resource/detail/words.ts';
import { words as list } from './resource/list/words.ts';
import { words as transfer } from './resource/transfer/words.ts';

/**
 * Texts that existing users and manuals know, including mistakes; sections 2, 5, 8 and 9 of
 * `docs/conformance.md` list them.
 */
const QUOTED: readonly (readonly [LocalText, string, string])[] = [
  [common.signedOut, '账号已退出，请重新登录', 'You account has logout, Please login again'],
  [common.signInAgain, '重新登录', 'Re-Login'],
  [common.badRequest, '请求错误，请检查填写内容', 'Bad request, please check again'],
  [detailWords.resourceLost, '没有找到对应资源或者已被删除', 'Resource lost or deleted'],
  [common.deleteQuestion, '你确定要删除', 'Are you sure to delete'],
  [common.deleteSuccess, '删除成功', 'Delete success'],
  [common.deleteFailed, '删除失败', 'Delete failed'],
  [list.bulkDeleteSuccess, '批量删除成功', 'Deleted'],
  [list.bulkDeleteFailed, '批量删除失败', 'Could not delete'],
  [common.createSuccess, '创建成功', 'Create success'],
  [common.updateSuccess, '更新成功', 'Update success'],
  [common.createFailed, '创建失败', 'Could not create'],
  [settings.testSucceeded, '测试成功', 'Test Success'],
  [common.updateFailed, '更新失败', 'Could not save'],
  [transfer.getFailed, '获取失败', 'Could not load'],
  [detailWords.addSuccess, '添加成功', 'Added'],
  [common.removeSuccess, '移除成功', 'Removed'],
  [common.required, '这个字段是必填项', 'This field is required'],
  [common.info, '提示', 'Info'],
  [common.confirm, '确认', 'Confirm'],
  [common.cancel, '取消', 'Cancel'],
  [common.basicInfo, '基本信息', 'Basic info'],
  [detailWords.quickUpdate, '操作', 'Actions'],
  [
    FIELD_ERRORS.too_small,
    '请确保该值大于或者等于 3',
    'Ensure this value is greater than or equal to 3',
  ],
  [transfer.exportRange, '导出范围', 'Export range'],
  [transfer.exportAll, '导出所有', 'Export all'],
  [transfer.exportSelected, '仅导出所选项', 'Export selected rows'],
  [transfer.exportFiltered, '仅导出搜索结果', 'Export filtered rows'],
  [transfer.createTemplate, '下载导入模板', 'Download import template'],
  [transfer.updateTemplate, '下载更新模板', 'Download update template'],
  [transfer.onlyCsv, '仅支持 CSV 文件', 'Only CSV files are supported'],
  [transfer.createdAll, '导入创建成功，总共：3', 'Create success, total: 3'],
  [transfer.updatedAll, '导入更新成功，总共：3', 'Update success, total: 3'],
  [transfer.lineProblem, '第 3 行. 名称: 重复', 'line 3. 名称: 重复'],
  [bulk.updateSelected, '更新所选', 'Update selected'],
  [bulk.selectProperties, '选择字段', 'Choose fields'],
  [list.deleteSelected, '删除所选', 'Delete selected'],
  [list.moreActions, '更多操作', 'Actions'],
  [list.searchHint, '按回车进行搜索', 'Press enter to search'],
  [list.lastDay, '最近一天', 'Last 24 hours'],
  [list.lastWeek, '最近一周', 'Last week'],
  [list.lastMonth, '最近一月', 'Last month'],
  [list.lastQuarter, '最近三月', 'Last 3 months'],
  [password.upper, '须包含大写字母', 'Upper case required'],
  [password.lower, '须包含小写字母', 'Lower case required'],
  [password.number, '须包含数字', 'Number required'],
  [password.mfaError, 'MFA错误，请检查', 'MFA Error，please check'],
  [password.special, '须包含特殊字符', 'Special character required'],
  [
    ERRORS.session_empty,
    '验证失败，请重新登录。登录已超时或已结束。',
    'Verification failed, please Login again. The sign-in took too long or was ended.',
  ],
  [frame.tabRefresh, '刷新', 'Refresh'],
  [frame.tabClose, '关闭', 'Close'],
  [frame.tabCloseOthers, '关闭其他', 'Close Others'],
  [frame.tabCloseAll, '关闭所有', 'Close All'],
  [frame.profile, '个人信息', 'Profile'],
  [frame.userPage, '用户页面', 'User page'],
  [frame.adminPage, '管理页面', 'Admin page'],
  [frame.logout, '退出登录', 'Logout'],
];

const PLACES = { min: 3, count: 3, line: 3, field: '名称', message: '重复' };

it.each(QUOTED)('keeps the quoted text %j', (text, zh, en) => {
  expect([say(text, 'zh', PLACES), say(text, 'en', PLACES)]).toEqual([zh, en]);
});

it('begins the text of a locked second factor with the quoted one', () => {
  expect(ERRORS.mfa_blocked.en).toBe(
    'Verification failed, please Login again. Too many wrong codes: try again after {minutes, plural, one {# minute} other {# minutes}}.',
  );
});
