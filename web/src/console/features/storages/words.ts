import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  hint: {
    zh: '每个运行中的服务器都会自动注册为一个终端。停用的终端不再接受新会话，已打开的会话不受影响。',
    en: 'Each running server registers itself as a terminal. A retired terminal accepts no new sessions; open sessions continue.',
  },
  retire: { zh: '停用', en: 'Retire' },
  retireQuestion: {
    zh: '停用终端“{name}”？它将不再接受新会话，直到再次启用。',
    en: 'Retire the terminal “{name}”? It accepts no new sessions until you activate it again.',
  },
  retired: { zh: '终端已停用', en: 'Terminal retired' },
  use: { zh: '启用', en: 'Activate' },
  storages: { zh: '存储配置', en: 'Storages' },
  storagesHint: {
    zh: '已完成的录像保存在终端所选的存储中；在存储确认内容一致之前，录像保留在服务器磁盘上。',
    en: 'Finished recordings move to the storage chosen for their terminal. They stay on the server disk until the storage has confirmed their content.',
  },
  commandStoragesHint: {
    zh: '命令保存在终端所选的存储中；在存储确认之前，命令保留在数据库中。',
    en: 'Commands move to the storage chosen for their terminal. They stay in the database until the storage has confirmed them.',
  },
  account: { zh: '账号', en: 'Account' },
  storage: { zh: '名称和类型', en: 'Name and type' },
  stores: { zh: '终端和存储', en: 'Terminal and storages' },
  place: { zh: '位置', en: 'Location' },
  test: { zh: '测试', en: 'Test' },
  servers: { zh: '服务器和副本', en: 'Servers and copy' },
  useForAll: { zh: '用于全部服务器', en: 'Use for all servers' },
  useForAllQuestion: {
    zh: '让全部服务器把录像移动到“{name}”？之后注册的服务器也一样。存储桶会先经过测试。',
    en: 'Move the recordings of all servers to “{name}”, also of servers that register later? A bucket is tested first.',
  },
  recordingPlace: { zh: '录像的存储位置', en: 'Place of recordings' },
  recordingPlaceHint: {
    zh: '有多台服务器，其录像只在各自的磁盘上：服务器损坏时录像会丢失，停止期间无法回放',
    en: 'Several servers keep recordings on their own disks: the loss of a server loses them, and nobody replays them while it is down',
  },
  chooseBucket: { zh: '使用存储桶', en: 'Use a bucket' },
  keepOnDisks: { zh: '保留在磁盘上', en: 'Keep them on the disks' },
  usedForAll: { zh: '已用于全部服务器', en: 'All servers use it' },
  builtIn: { zh: '系统自带的存储不能更改', en: 'Built-in storages cannot be changed' },
  runs: {
    zh: '终端正在运行，会自动注册',
    en: 'The terminal is running and would register again',
  },
});
