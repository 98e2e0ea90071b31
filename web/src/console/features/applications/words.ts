import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  database: { zh: '名称和类型', en: 'Name and type' },
  program: { zh: '程序', en: 'Program' },
  place: { zh: '连接信息', en: 'Connection' },
  databaseHint: {
    zh: '登记数据库后，在“数据库授权”中授权给用户。用户在“我的数据库”中连接。',
    en: 'Register databases here, then grant access under Database permissions. Users connect under My databases.',
  },
  remoteHint: {
    zh: '远程应用是远程桌面服务器上的一个程序。在“远程应用授权”中授权后，用户在“我的远程应用”中打开。',
    en: 'A remote app is one program on a remote desktop server. Grant access under Remote app permissions. Users open it under My remote apps.',
  },
  emptyDatabases: {
    zh: '创建数据库应用，填写数据库的地址。',
    en: 'Create a database app with the address of a database.',
  },
  emptyRemote: {
    zh: '创建远程应用，选择程序及其所在的服务器。',
    en: 'Create a remote app: choose a program and the server it runs on.',
  },
  portHelp: { zh: '留空表示该类型的默认端口', en: 'Leave blank for the default port of the type' },
  pathHelp: {
    zh: '留空表示该类型的默认路径；自定义类型必须填写',
    en: 'Blank for the default path of the type; required for custom programs',
  },
  assetHelp: {
    zh: '运行程序的服务器，需要提供 RDP',
    en: 'Server with RDP that runs the program',
  },
  rules: { zh: '授权', en: 'Permissions' },
});
