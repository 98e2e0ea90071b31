// node generate.mjs openapi.json FOLDER: writes clients of the API from its description, one
// function for each operation: sallyport.ts with types, and sallyport.py. Neither needs packages.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const JSON_TYPE = 'application/json';
const quoted = (text) => JSON.stringify(text);

/** Returns a schema as a type of TypeScript. */
function typeOf(schema) {
  if (schema === undefined || schema === true) return 'unknown';
  if (schema.$ref) return schema.$ref.split('/').at(-1).replace(/\W/g, '_');
  if ('const' in schema) return quoted(schema.const);
  if (schema.enum) return schema.enum.map(quoted).join(' | ');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map((one) => `(${typeOf(one)})`).join(' | ');
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => `(${typeOf({ ...schema, type })})`).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items)})[]`;
  if (schema.properties) return objectType(schema);
  if (schema.type === 'object') return 'Record<string, unknown>';
  if (schema.type === 'integer') return 'number';
  return ['string', 'number', 'boolean', 'null'].includes(schema.type) ? schema.type : 'unknown';
}

function objectType({ properties, required = [] }) {
  const fields = Object.entries(properties).map(
    ([name, one]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(one)}`,
  );
  return `{ ${fields.join('; ')} }`;
}

/** Returns the operations of a description, without those that send a form. */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).flatMap((method) => {
      const { operationId, summary = '', requestBody, ...one } = methods[method];
      const name = operationId.replace('ApiV1', '');
      const parameters = [...(methods.parameters ?? []), ...(one.parameters ?? [])];
      if (requestBody && !requestBody.content?.[JSON_TYPE]) return [];
      const [, answer] = Object.entries(one.responses).find(([code]) => /^2/.test(code)) ?? [];
      return [
        {
          ...{ name, summary: summary.replace(/\s+/g, ' '), path, method: method.toUpperCase() },
          ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id),
          query: parameters.filter((parameter) => parameter.in === 'query'),
          body: requestBody?.content[JSON_TYPE].schema,
          answer: answer?.content?.[JSON_TYPE]?.schema,
        },
      ];
    }),
  );
}

function typeScriptOf(description, operations) {
  const types = Object.entries(description.components?.schemas ?? {}).map(
    ([name, schema]) => `export type ${name.replace(/\W/g, '_')} = ${typeOf(schema)};`,
  );
  const functions = operations.map(({ name, summary, path, method, ids, query, body, answer }) => {
    const properties = Object.fromEntries(query.map((one) => [one.name, one.schema]));
    const words = [
      ...ids.map((id) => `${id}: string`),
      ...(body ? [`body: ${typeOf(body)}`] : []),
      `query: ${objectType({ properties })} = {}`,
    ];
    const address = path.replace(/\{(\w+)\}/g, (_, id) => `\${encodeURIComponent(${id})}`);
    const call = `this.send('${method}', \`${address}\`, query${body ? ', body' : ''})`;
    return `  /** ${summary.replaceAll('*/', '')} */
  ${name}(${words.join(', ')}): Promise<${answer ? typeOf(answer) : 'unknown'}> {
    return ${call} as Promise<never>;
  }`;
  });
  return `// Written from the API description of version ${description.info.version}. Do not edit.
${types.join('\n')}

export class ApiError extends Error {
  status: number;
  body: unknown;
  constructor(status: number, body: unknown) {
    super(\`the server answered \${status}: \${JSON.stringify(body)}\`);
    this.status = status;
    this.body = body;
  }
}

export class Sallyport {
  site: string;
  headers: Record<string, string>;
  /** \`headers\` has the sign-in, such as \`authorization: Bearer …\`. */
  constructor(site: string, headers: Record<string, string>) {
    this.site = site;
    this.headers = headers;
  }
  async send(method: string, path: string, query: object, body?: unknown): Promise<unknown> {
    const url = new URL(path, this.site);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = { accept: '${JSON_TYPE}', 'content-type': '${JSON_TYPE}', ...this.headers };
    if (body === undefined) delete (headers as Record<string, string>)['content-type'];
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(url, { method, headers, ...init });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    const content: unknown = isJson && text ? JSON.parse(text) : text;
    if (!answer.ok) throw new ApiError(answer.status, content);
    return content;
  }
${functions.join('\n')}
}
`;
}

function pythonOf(description, operations) {
  const functions = operations.map(({ name, summary, path, method, ids, body }) => {
    const words = ['self', ...ids.map((id) => `${id}_`), ...(body ? ['body'] : []), '**query'];
    const values = ids.map((id) => `${id}=quote(str(${id}_), safe="")`);
    const address = `${quoted(path)}${ids.length > 0 ? `.format(${values.join(', ')})` : ''}`;
    return `    def ${name}(${words.join(', ')}):
        ${quoted(summary)}
        return self.send("${method}", ${address}, query, ${body ? 'body' : 'None'})`;
  });
  return `# Written from the API description of version ${description.info.version}. Do not edit.
import json
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen


class ApiError(Exception):
    def __init__(self, status, body):
        super().__init__(f"the server answered {status}: {body}")
        self.status, self.body = status, body


class Sallyport:
    def __init__(self, site, headers):
        """\`headers\` has the sign-in, such as {"authorization": "Bearer …"}."""
        self.site, self.headers = site.rstrip("/"), headers

    def send(self, method, path, query, body):
        url = self.site + path + ("?" + urlencode(query) if query else "")
        headers = {"accept": "${JSON_TYPE}", **self.headers}
        if body is not None:
            headers["content-type"] = "${JSON_TYPE}"
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(url, data, headers, method=method)) as answer:
                return self.content(answer)
        except HTTPError as error:
            raise ApiError(error.code, self.content(error)) from None

    def content(self, answer):
        text = answer.read().decode()
        is_json = "json" in (answer.headers.get("content-type") or "")
        return json.loads(text) if is_json and text else text

${functions.join('\n\n')}
`;
}

const [file, folder = '.'] = process.argv.slice(2);
if (!file) {
  process.stderr.write('Usage: node generate.mjs openapi.json FOLDER\n');
  process.exit(1);
}
const description = JSON.parse(readFileSync(file, 'utf8'));
const operations = operationsOf(description);
writeFileSync(join(folder, 'sallyport.ts'), typeScriptOf(description, operations));
writeFileSync(join(folder, 'sallyport.py'), pythonOf(description, operations));
process.stdout.write(`${operations.length} operations\n`);
