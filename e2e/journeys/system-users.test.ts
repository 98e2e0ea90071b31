import { systemUser } from '@sallyport/contract';
import { expect } from 'vitest';
import { common } from '../../web/src/kit/i18n/common.ts';
import { unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey('the key pair of a system user is created with it, and its page shows the public key', async (open, { admin }) => {
  const { fields } = systemUser;
  const name = unique('deploy');
  const visitor = await open({ language });
  const view = new ConsolePage(visitor);
  const box = view.main.getByRole('switch', { name: new RegExp(`^${RegExp.escape(view.say(fields.auto_generate_key.label))}`) });
  await signIn(visitor, ADMIN, '/ui/assets/system-users/create');
  await view.field(fields.name.label).fill(name);
  await view.field(fields.username.label).fill('deploy');
  await view.field(fields.private_key.label).waitFor();
  await box.click({ force: true });
  // What is created is not typed.
  await view.field(fields.private_key.label).waitFor({ state: 'detached' });
  expect(await view.field(fields.password.label).count()).toBe(0);
  await view.submit();
  await view.notified(common.createSuccess);
  await view.row(name).getByRole('link', { name, exact: true }).click();
  await view.heading.filter({ hasText: name }).waitFor();
  const { id } = (await admin.get<{ id: string }[]>(`assets/system-users/?name=${name}`)).body[0] ?? { id: '' };
  const { ssh_public_key: line } = (await admin.get<{ ssh_public_key: string }>(`assets/system-users/${id}/`)).body;
  expect(line).toMatch(/^ssh-ed25519 \S+ deploy$/);
  await view.main.getByText(line, { exact: true }).waitFor();
  // An existing account keeps its key: its form does not offer another one.
  await view.button(common.update).click();
  await view.field(fields.private_key.label).waitFor();
  expect(await box.count()).toBe(0);
});
