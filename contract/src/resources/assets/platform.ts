import { boolean, choice, id, json, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** What an asset runs (assets reference §8). The seven internal ones are seeded; assets name a platform by its name. */
export const platform = defineResource({
  name: 'platform',
  path: 'assets/platforms',
  scope: 'global',
  title: { en: 'Platform', zh: '系统平台' },
  access: { read: Permission.ADMIN },
  fields: {
    id: id(),
    name: text({ label: LABEL.name, max: 50, format: 'slug', unique: 'global', search: true, order: true, filter: true }),
    base: choice({
      label: { en: 'Base', zh: '基础' },
      choices: ['Linux', 'Unix', 'MacOS', 'BSD', 'Windows', 'Other'].map((name) => ({
        value: name,
        label: { en: name, zh: name === 'Other' ? '其它' : name },
      })),
      defaultValue: 'Linux',
      filter: true,
    }),
    charset: choice({
      label: { en: 'Charset', zh: '编码' },
      choices: [
        { value: 'utf8', label: { en: 'UTF-8', zh: 'UTF-8' } },
        { value: 'gbk', label: { en: 'GBK', zh: 'GBK' } },
      ],
      defaultValue: 'utf8',
    }),
    internal: boolean({ label: { en: 'Internal', zh: '内部的' }, readOnly: true }),
    meta: json({ label: { en: 'Meta', zh: '元数据' } }),
    comment: text({ label: LABEL.comment, required: false, nullable: true, multiline: true }),
  },
});
