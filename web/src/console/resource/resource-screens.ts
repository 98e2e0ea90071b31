import type { LocalText } from '@sallyport/contract';
import type { RouteComponent } from '@tanstack/react-router';
import { inSentence } from '../../kit/i18n/language.ts';
import { findSummary, pagesOf } from '../base/resources.ts';
import type { Screen } from '../base/screen.ts';

interface Pages {
  /** The title of the list, also used in the menu. */
  readonly title?: LocalText;
  /** Other names of the list, for the palette. */
  readonly otherNames?: readonly LocalText[];
  readonly list?: RouteComponent;
  /** The list sends the query of `first-rows.ts` when it opens. */
  readonly plainRows?: true;
  /** Form for create and update pages. */
  readonly form?: RouteComponent;
  /** Form for the update page only, if objects are not created on a page. */
  readonly update?: RouteComponent;
  readonly detail?: RouteComponent;
}

interface Options
  extends Pick<Screen, 'permissions' | 'alsoFor' | 'licenseRequired' | 'menu' | 'activeMenu'> {
  /** Permissions of the create and update pages, if they need more than the others. */
  readonly changes?: number;
  /** Titles that override those derived from the resource's title. */
  readonly titles?: Partial<Readonly<Record<'create' | 'update' | 'detail', LocalText>>>;
}

const pascal = (name: string) =>
  name.replace(/(^|_)(\w)/g, (_, _start, letter: string) => letter.toUpperCase());

/** Chinese text has a space before Latin letters: `创建 SSH 证书颁发机构`. */
const withVerb = (verb: string, zh: string) => (/^\w/.test(zh) ? `${verb} ${zh}` : `${verb}${zh}`);

/** Returns the screens of a resource, with paths and titles derived from its declaration. */
export function resourceScreens(
  resource: string,
  { title, otherNames, list, plainRows, form, update, detail }: Pages,
  options: Options = {},
): Screen[] {
  const summary = findSummary(resource);
  if (!summary) throw new Error(`no resource is named ${resource}`);
  const { menu, titles = {}, activeMenu, changes, ...access } = options;
  const { en, zh } = summary.title;
  const pages = pagesOf(resource);
  const name = pascal(resource);
  const inside = { ...access, resource, activeMenu: activeMenu ?? pages.list };
  const changing = { ...inside, ...(changes !== undefined && { permissions: changes }) };
  const updatePage = form ?? update;
  return [
    ...(list
      ? [
          {
            ...access,
            resource,
            name: `${name}List`,
            path: pages.list,
            title: title ?? summary.title,
            ...(menu && { menu }),
            ...(activeMenu && { activeMenu }),
            ...(plainRows && { plainRows }),
            ...(otherNames && { otherNames }),
            component: list,
          },
        ]
      : []),
    ...(form
      ? [
          {
            ...changing,
            name: `${name}Create`,
            path: pages.create,
            title: titles.create ?? { en: `Create ${inSentence(en)}`, zh: withVerb('创建', zh) },
            component: form,
          },
        ]
      : []),
    ...(updatePage
      ? [
          {
            ...changing,
            name: `${name}Update`,
            path: pages.update('$id'),
            title: titles.update ?? { en: `Edit ${inSentence(en)}`, zh: withVerb('编辑', zh) },
            component: updatePage,
          },
        ]
      : []),
    ...(detail
      ? [
          {
            ...inside,
            name: `${name}Detail`,
            path: pages.detail('$id'),
            title: titles.detail ?? { en: `${en} detail`, zh: `${zh}详情` },
            component: detail,
          },
        ]
      : []),
  ];
}
