import { createHash } from 'node:crypto';
import type { InterfaceSetting } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { newestReading } from '../../platform/gate.ts';
import { ENDINGS, type MediaType, PICTURE_NAMES, type PictureName } from './pictures.ts';

export const PICTURE_URL = '/static/interface/';
/** The logo of the product. */
const OWN_MARK = '/favicon.svg';

export interface Picture {
  readonly mediaType: MediaType;
  readonly content: Buffer;
}

/** A change: absent values stay, null restores the default. */
export interface InterfaceChange {
  readonly title?: string;
  readonly pictures: Readonly<Partial<Record<PictureName, Picture | null>>>;
}

export interface BrandingService {
  /** The stored branding. */
  stored(): InterfaceSetting;
  /** The branding of the pages: the stored one with a license, otherwise the default. */
  shown(): InterfaceSetting;
  /** A picture by the last part of its address. */
  picture(file: string): Picture | undefined;
  /** Stores a change. Servers apply it at `reload`, which the database announces at commit. */
  store(change: InterfaceChange, tx: Tx): Promise<void>;
  restore(tx: Tx): Promise<void>;
  /** The stored branding within a transaction. */
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

/** Creates the branding service. Call `reload` before the first use. */
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
        // The address changes with the content, so browsers can cache a picture permanently.
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
      (branding) => {
        ({ setting: current, pictures } = branding);
      },
    ),
  };
}
