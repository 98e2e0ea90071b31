import { createdAt, createdBy, id, organizationFields, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** An authority whose SSH certificates sign system users in to targets; the newest signs. */
export const sshAuthority = defineResource({
  name: 'ssh_authority',
  path: 'assets/ssh-authorities',
  area: 'assets',
  scope: 'org',
  title: { en: 'SSH authority', zh: 'SSH 证书颁发机构' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  defaultOrder: ['-date_created'],
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    public_key: text({
      label: { en: 'Public line', zh: '公钥行' },
      max: 512,
      readOnly: true,
    }),
    fingerprint: text({
      label: { en: 'Fingerprint', zh: '指纹' },
      max: 64,
      readOnly: true,
      search: true,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
