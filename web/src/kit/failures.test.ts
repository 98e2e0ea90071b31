import { expect, it, vi } from 'vitest';
import { errorOf } from './api.ts';
import { toast } from './dialogs/toast.tsx';
import { showFailures } from './failures.tsx';

it('shows the specified message for a bad request, and that of the server for any other failure', () => {
  const showError = vi.spyOn(toast, 'error').mockReturnValue(undefined);
  showFailures.failed(errorOf(400, { name: ['taken'] }));
  expect(showError).toHaveBeenLastCalledWith('请求错误，请检查填写内容', '有 1 个字段需要检查');
  showFailures.failed(errorOf(400, { code: 'order_unknown', detail: '不能按此字段排序。' }));
  expect(showError).toHaveBeenLastCalledWith('请求错误，请检查填写内容', '不能按此字段排序。');
  showFailures.failed(errorOf(500, { error: 'E', msg: 'M' }));
  expect(showError).toHaveBeenLastCalledWith('E', undefined);
  showFailures.failed(errorOf(503, { msg: 'M' }));
  expect(showError).toHaveBeenLastCalledWith('M', undefined);
});
