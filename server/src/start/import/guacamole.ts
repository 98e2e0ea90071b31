import { basename } from 'node:path';
import { StartError } from '../../config.ts';
import {
  elementsOf,
  readXml,
  textOf,
  type XmlElement,
  XmlRefused,
} from '../../platform/xml/document.ts';
import { derivedId } from './derived-id.ts';
import { Collector, type Description } from './description.ts';
import { readNamed } from './read-named.ts';

const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_ELEMENTS = 500_000;

/** Default port by protocol. Others, such as Kubernetes, have no counterpart. */
const PORTS: Readonly<Record<string, number>> = { ssh: 22, rdp: 3389, vnc: 5900, telnet: 23 };
const BASES: Readonly<Record<string, string>> = { rdp: 'Windows' };
/** Guacamole replaces it by the name of the user. */
const OWN_NAME = '$' + '{GUAC_USERNAME}';

/** A connection with the users that may open it. */
interface Connection {
  readonly name: string;
  readonly protocol: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly users: string[];
}

const namedChildren = (parent: XmlElement, name: string) =>
  [...elementsOf(parent)].filter(({ localName }) => localName === name);

function readConnection(element: XmlElement, name: string): Omit<Connection, 'users'> {
  const [first] = namedChildren(element, 'protocol');
  const protocol = first ? textOf(first).trim() : '';
  const parameters = namedChildren(element, 'param').map(
    (param) => [param.getAttribute('name') ?? '', textOf(param)] as const,
  );
  return { name, protocol, parameters: new Map(parameters) };
}

const contentOf = ({ name, protocol, parameters }: Omit<Connection, 'users'>) =>
  JSON.stringify([name, protocol, [...parameters].toSorted()]);

/** Reads connections; equal ones of several users are one. */
function readConnections(root: XmlElement): { connections: Connection[]; users: string[] } {
  const byContent = new Map<string, Connection>();
  const users = new Set<string>();
  for (const element of namedChildren(root, 'authorize')) {
    const username = element.getAttribute('username') ?? '';
    users.add(username);
    const longForm = namedChildren(element, 'connection').map((one) =>
      readConnection(one, one.getAttribute('name') ?? ''),
    );
    // The short form has one connection without a name.
    const shortForm =
      namedChildren(element, 'protocol').length > 0 ? [readConnection(element, username)] : [];
    for (const connection of [...longForm, ...shortForm]) {
      const content = contentOf(connection);
      const known = byContent.get(content);
      if (known) known.users.push(username);
      else byContent.set(content, { ...connection, users: [username] });
    }
  }
  return { connections: [...byContent.values()], users: [...users] };
}

/** Actions of a connection: the clipboard unless it is off, files if they are on. */
function actionsOf(parameters: ReadonlyMap<string, string>): string[] {
  const isOn = (name: string) => parameters.get(name) === 'true';
  const hasFiles = isOn('enable-sftp') || isOn('enable-drive');
  return [
    'connect',
    ...(hasFiles && !isOn('disable-upload') ? ['upload_file'] : []),
    ...(hasFiles && !isOn('disable-download') ? ['download_file'] : []),
    ...(isOn('disable-copy') ? [] : ['clipboard_copy']),
    ...(isOn('disable-paste') ? [] : ['clipboard_paste']),
  ];
}

function addConnection(connection: Connection, name: string, file: string, into: Collector): void {
  const { protocol, parameters, users } = connection;
  const place = `${file}: connection ${JSON.stringify(connection.name)}`;
  const host = parameters.get('hostname') ?? '';
  const port = Number(parameters.get('port') || PORTS[protocol]);
  if (PORTS[protocol] === undefined || host === '') {
    into.note(place, `protocol ${protocol || '(none)'} is not imported`);
    return;
  }
  const username = parameters.get('username') ?? '';
  const [password, key] = [parameters.get('password') ?? '', parameters.get('private-key') ?? ''];
  const passphrase = parameters.get('passphrase') ?? '';
  const isOwnName = username === OWN_NAME;
  const secrets = {
    ...((key === '' ? password : passphrase) !== '' && {
      password: key === '' ? password : passphrase,
    }),
    ...(key !== '' && protocol === 'ssh' && { private_key: key }),
  };
  // Secrets with tokens differ for each user, who types them.
  const isTyped = Object.values(secrets).some((text) => text.includes('$' + '{GUAC_'));
  const isAuto = !isOwnName && !isTyped && Object.keys(secrets).length > 0;
  const ids = {
    asset: derivedId(`guacamole asset ${name}`),
    systemUser: derivedId(`guacamole system user ${name}`),
  };
  const common = { organization: '', place };
  into.add({
    ...common,
    kind: 'system_user',
    id: ids.systemUser,
    name,
    fields: {
      name,
      username: isOwnName ? '' : username,
      protocol,
      // One system user for each protocol may have the name of the user.
      ...(isOwnName && { comment: 'The user types the username' }),
    },
    initial: {
      login_mode: isAuto ? 'auto' : 'manual',
      auto_push: false,
      ...(isAuto && secrets),
    },
  });
  into.add({
    ...common,
    kind: 'asset',
    id: ids.asset,
    name,
    fields: {
      hostname: name,
      ip: host,
      protocols: [`${protocol}/${port}`],
      platform: BASES[protocol] ?? 'Linux',
    },
  });
  into.add({
    ...common,
    kind: 'asset_permission',
    id: derivedId(`guacamole permission ${name}`),
    name: `Guacamole: ${name}`.slice(0, 128),
    fields: {
      name: `Guacamole: ${name}`.slice(0, 128),
      actions: actionsOf(parameters),
      users: users.map((user) => `guacamole ${user}`),
      assets: [ids.asset],
      system_users: [ids.systemUser],
    },
  });
}

/** Reads `user-mapping.xml` of Guacamole. Users must exist. @throws StartError */
export async function readGuacamole(path: string): Promise<Description> {
  const into = new Collector();
  const file = basename(path);
  let root: XmlElement | null;
  try {
    root = readXml(await readNamed(path), MAX_CHARACTERS, MAX_ELEMENTS).documentElement;
  } catch (error) {
    if (error instanceof XmlRefused) throw new StartError(`${path}: ${error.message}.`);
    throw error;
  }
  if (root?.localName !== 'user-mapping') throw new StartError(`${path} is no user-mapping.`);
  const { connections, users } = readConnections(root);
  for (const username of users)
    into.add({
      kind: 'user',
      id: `guacamole ${username}`,
      organization: '',
      name: username,
      place: `${file}: user ${JSON.stringify(username)}`,
      fields: {},
      mustExist: true,
    });
  const names = new Set<string>();
  for (const connection of connections) {
    // Users may give the same name to different connections.
    let name = connection.name.slice(0, 100);
    for (let count = 2; names.has(name); count++)
      name = `${connection.name.slice(0, 100)} ${count}`;
    names.add(name);
    addConnection(connection, name, file, into);
  }
  return into;
}
