import { user } from '@sallyport/contract';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { StrategyWithoutMail } from './UserForm.tsx';

it('offers no mailed link without a mail server, explains why and links to the mail settings', async () => {
  const ignore = () => undefined;
  await renderPage(
    <StrategyWithoutMail
      name="password_strategy"
      field={user.fields.password_strategy}
      label="密码策略"
      required
      disabled={false}
      value={1}
      onChange={ignore}
      onBlur={ignore}
      updating={false}
    />,
  );
  expect((await screen.findAllByRole('radio')).map((radio) => radio.getAttribute('value'))).toEqual(
    ['1'],
  );
  expect(screen.getByText(/未配置邮件服务器/)).toBeTruthy();
  expect(screen.getByRole('link', { name: '配置邮件' }).getAttribute('href')).toContain(
    'activeTab=Email',
  );
});
