import { startMariadb } from '../../server/src/testing/databases/mariadb.ts';
import { startXvnc } from '../../server/src/testing/desktops/xvnc.ts';
import { words as apps } from '../../web/src/console/features/app-permissions/words.ts';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { buildDatabase, buildDesktop, buildPerson } from '../harness/build.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { showsColor } from '../pages/desktop-page.ts';
import { queryPage } from '../pages/query-page.ts';
import type { Task } from './task.ts';

const PASSWORD = 'Vault-Secret-81';

/** A user looks something up in a database. */
const queryDatabase: Task = {
  name: 'A user queries a database and sees the rows (from the own databases)',
  target: 3,
  async prepare({ admin, person: open, language, atEnd }) {
    const mariadb = await startMariadb();
    atEnd(() => mariadb.stop());
    mariadb.sql(`use shop; create user shopper@'%' identified by '${PASSWORD}';
      grant all on shop.* to shopper@'%'; create table item (name varchar(40));
      insert into item values ('lamp'), ('chair')`);
    const person = await buildPerson(admin);
    const { host, port } = mariadb;
    const target = { type: 'mariadb', host, port, password: PASSWORD } as const;
    const { name } = (await buildDatabase(admin, person, target)).app;
    const visitor = await open(person, '/ui/apps/database');
    const view = new ConsolePage(visitor);
    return async (hand) => {
      const page = await visitor.windowFrom(() =>
        hand.click(
          view.main.getByRole('link', { name: view.say(apps.connectTo, { name }), exact: true }),
        ),
      );
      const query = queryPage({ page, language });
      await hand.type(query.editor, 'select name from item order by name');
      await hand.press(page, 'Control+Enter');
      await query.cell('lamp').waitFor();
    };
  },
};

/** A user works on a graphical desktop. */
const openDesktop: Task = {
  name: 'A user opens a graphical desktop by VNC (from the own assets)',
  target: 2,
  async prepare({ admin, person: open, atEnd }) {
    const xvnc = await startXvnc({ size: '400x300' });
    atEnd(() => xvnc.stop());
    await xvnc.fill('#336699');
    const person = await buildPerson(admin);
    const { asset } = await buildDesktop(admin, person, xvnc);
    const visitor = await open(person, '/ui/');
    const view = new ConsolePage(visitor);
    return async (hand) => {
      const desktop = await visitor.windowFrom(() =>
        hand.click(
          view
            .row(asset.name)
            .getByRole('link', { name: view.say(home.connectTo, { name: asset.name }) }),
        ),
      );
      await showsColor(desktop, [0x33, 0x66, 0x99]);
    };
  },
};

/** Tasks of users whose target is no shell. */
export const TARGET_TASKS: readonly Task[] = [queryDatabase, openDesktop];
