import { createHash } from 'node:crypto';
import type { InterfaceSetting } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { newestReading } from '../../platform/newest-reading.ts';
import { ENDINGS, type MediaType, PICTURE_NAMES, type PictureName } from './pictures.ts';

export const PICTURE_URL = '/static/interface/';
/** The product's own mark. */
const OWN_MARK = '/favicon.svg';

export interface Picture {
  readonly mediaType: MediaType;
  readonly content: Buffer;
}

/** What is changed: absent stays, null goes back to the product's own. */
export interface InterfaceChange {
  readonly title?: string;
  readonly pictures: Readonly<Partial<Record<PictureName, Picture | null>>>;
}

export interface BrandingService {
  /** What was set. */
  stored(): InterfaceSetting;
  /**
   * What people see: what was set for as long as the license holds, otherwise the product's own.
   */
  shown(): InterfaceSetting;
  /** A picture by the last part of its address. */
  picture(file: string): Picture | undefined;
  /** In force everywhere after `reload`, which the database announces on commit. */
  store(change: InterfaceChange, tx: Tx): Promise<void>;
  restore(tx: Tx): Promise<void>;
  /** What is set as a transaction sees it. */
  storedIn(tx: Tx): Promise<InterfaceSetting>;
  reload(): Promise<void>;
}

const OWN: InterfaceSetting = {
  login_title: '',
  logo_index: OWN_MARK,
  logo_logout: OWN_MARK,
  login_image: OWN_MARK,
  favicon: OWN_MARK,
};

interface Look {
  readonly setting: InterfaceSetting;
  readonly pictures: ReadonlyMap<string, Picture>;
}

async function read(from: Db | Tx): Promise<Look> {
  const titles = await sql<{
    login_title: string;
  }>`select login_title from interface_setting`.execute(from);
  const { rows } = await sql<{
    name: PictureName;
    media_type: MediaType;
    digest: string;
    content: Buffer;
  }>`
    select name, media_type, digest, content from interface_picture`.execute(from);
  const files = rows.map(({ name, media_type: mediaType, digest, content }) => ({
    name,
    file: `${name}-${digest}.${ENDINGS[mediaType]}`,
    mediaType,
    content,
  }));
  const addresses = Object.fromEntries(
    files.map(({ name, file }) => [name, `${PICTURE_URL}${file}`]),
  );
  return {
    setting: { ...OWN, ...addresses, login_title: titles.rows[0]?.login_title ?? '' },
    pictures: new Map(files.map(({ file, mediaType, content }) => [file, { mediaType, content }])),
  };
}

/** Creates the branding service; call `reload` before the first use. */
export function createBranding(db: Db, isLicensed: () => boolean): BrandingService {
  let current = OWN;
  let pictures: ReadonlyMap<string, Picture> = new Map();
  const announce = (tx: Tx) => sql`select pg_notify('settings', '')`.execute(tx);
  return {
    stored: () => current,
    shown: () => (isLicensed() ? current : OWN),
    picture: (file) => pictures.get(file),
    async store({ title, pictures: changed }, tx) {
      if (title !== undefined) {
        await sql`
          insert into interface_setting (login_title) values (${title})
            on conflict (only_row) do update set login_title = excluded.login_title`.execute(tx);
      }
      for (const name of PICTURE_NAMES) {
        const picture = changed[name];
        if (picture === null)
          await sql`delete from interface_picture where name = ${name}`.execute(tx);
        if (!picture) continue;
        // The address changes with the content, so browsers may keep a picture for good.
        const digest = createHash('sha256').update(picture.content).digest('hex').slice(0, 32);
        await sql`
          insert into interface_picture (name, media_type, digest, content)
            values (${name}, ${picture.mediaType}, ${digest}, ${picture.content})
          on conflict (name) do update set media_type = excluded.media_type,
            digest = excluded.digest, content = excluded.content`.execute(tx);
      }
      await announce(tx);
    },
    async restore(tx) {
      await sql`delete from interface_setting`.execute(tx);
      await sql`delete from interface_picture`.execute(tx);
      await announce(tx);
    },
    storedIn: async (tx) => (await read(tx)).setting,
    reload: newestReading(
      () => read(db),
      (found) => {
        ({ setting: current, pictures } = found);
      },
    ),
  };
}
