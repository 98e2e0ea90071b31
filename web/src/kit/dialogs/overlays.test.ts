import { notifications } from '@mantine/notifications';
import { expect, it, vi } from 'vitest';
import { showToast } from './overlays.tsx';

it('shows an error for five seconds, announces it at once, and adds its cause', () => {
  const show = vi.spyOn(notifications, 'show').mockReturnValue('');
  showToast('error', 'Bad request, please check again', 'name: taken');
  expect(show).toHaveBeenCalledWith(
    expect.objectContaining({
      title: 'Bad request, please check again',
      message: 'name: taken',
      autoClose: 5_000,
      role: 'alert',
    }),
  );
  showToast('error', 'The request failed (502)');
  expect(show).toHaveBeenLastCalledWith(
    expect.objectContaining({ message: 'The request failed (502)', autoClose: 5_000 }),
  );
});
