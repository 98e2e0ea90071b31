import { notifications } from '@mantine/notifications';
import { ERROR_TOAST } from '@sallyport/contract';
import { IconAlertTriangle, IconCheck, IconInfoCircle } from './icons.ts';

const SUCCESS_TOAST = 3_000;

/** Short messages in the corner. An error stays five seconds (specification §9). */
export const toast = {
  success(message: string): void {
    notifications.show({ message, color: 'green', icon: <IconCheck size={16} />, autoClose: SUCCESS_TOAST });
  },
  info(message: string): void {
    notifications.show({ message, color: 'blue', icon: <IconInfoCircle size={16} />, autoClose: ERROR_TOAST });
  },
  error(message: string, detail?: string): void {
    notifications.show({
      ...(detail ? { title: message, message: detail } : { message }),
      color: 'red',
      icon: <IconAlertTriangle size={16} />,
      autoClose: ERROR_TOAST,
      // Read out at once: somebody who does not see the corner must hear why nothing happened.
      role: 'alert',
    });
  },
};
