import type { CodeSample, DescribedOperation, DescribedParameter, JsonSchema, Schemas } from '../reference.js';

/** The request that an operation shows, in each language: with what the language brings along, and in TypeScript with the SDK. */
export function codeSamples(
  method: string,
  path: string,
  operation: DescribedOperation,
  schemas: Schemas,
): readonly CodeSample[] {
  const request = sampleRequest(method, path, operation, schemas);
  const languages = { curl, TypeScript: typeScript, Python: python, PHP: php, Go: goSample, Ruby: ruby };
  return Object.entries(languages).map(([label, write]) => {
    return { lang: label === 'curl' ? 'Shell' : label, label, source: write(request) };
  });
}

/** The parts of an operation that a sample shows, where it is more than its path. Values are those of the document, or these. */
interface RequestExample {
  /** Fields of the body by their examples. */
  readonly fields?: readonly string[];
  readonly body?: object;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Query parameters by their examples. */
  readonly parameters?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

const requestExamples: Readonly<Record<string, RequestExample>> = {
  listPhotos: { query: { minRating: 4, limit: 10 } },
  updatePhoto: { fields: ['title', 'rating'] },
  setPhotoTags: { fields: ['tagNames'] },
  createTag: { fields: ['name', 'color'] },
  updateTag: { fields: ['description'] },
  createImport: { fields: ['name'] },
  addImportPhotos: { body: { photos: [{ filename: 'DSC_3701.jpg', sizeBytes: 2311040 }] } },
  updateImportPhoto: { fields: ['title'] },
  finalizeImport: { body: { missingUploads: 'fail' } },
  getUploadOffset: { headers: { 'Tus-Resumable': '1.0.0' } },
  continueUpload: { headers: { 'Tus-Resumable': '1.0.0', 'Upload-Offset': '0' } },
  showDeliveredPicture: { parameters: ['sig'] },
  createCustomer: { fields: ['name', 'photosLimit'] },
  updateCustomer: { fields: ['photosLimit'] },
  eraseCustomer: { query: { name: 'ACME' } },
  createKey: { fields: ['name', 'scopes'] },
  updateKey: { fields: ['readLimit'] },
  invitePerson: { fields: ['email', 'role'] },
  createWebhook: { fields: ['url', 'events'] },
  updateWebhook: { fields: ['enabled'] },
};

type SampleRequest = ReturnType<typeof sampleRequest>;

/** A request that shows an operation, made of the examples in the document. */
function sampleRequest(method: string, template: string, operation: DescribedOperation, schemas: Schemas) {
  const example = requestExamples[operation.operationId] ?? {};
  const { fields, body: written, query = {}, parameters: named = [], headers = {} } = example;
  const examples = (isShown: (each: DescribedParameter) => boolean) =>
    Object.fromEntries(
      (operation.parameters ?? []).filter(isShown).map(({ name, schema }) => [name, exampleOf(schema)]),
    );
  const parameters = examples((each) => each.in === 'path');
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURI(String(parameters[name])));
  const asked = { ...query, ...examples(({ name }) => named.includes(name)) };
  const search = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]));
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const json = written ?? (fields && content && pick(content.schema, fields, schemas));
  const isJson = type?.endsWith('json') ?? false;
  const isOperator = template.startsWith('/operator/');
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const types = Object.keys(success?.content ?? {});
  const isSilent = method === 'head' || types.length === 0 || method === 'delete';
  return {
    method: method.toUpperCase(),
    // The path as the document has it, and with its examples and the query, as they are sent.
    template,
    target: search.size === 0 ? path : `${path}?${search}`,
    parameters,
    query: asked,
    // All but the credential.
    headers: type === undefined || type === '*/*' ? headers : { ...headers, 'Content-Type': type },
    // The body: JSON, or a file.
    json: isJson ? (json ?? {}) : null,
    file: type === undefined || isJson ? null : 'DSC_3701.jpg',
    // The environment variable that has the credential; null where the address itself is the permission.
    token: operation['x-required-scope'] === null ? null : isOperator ? 'OPERATOR_TOKEN' : 'PHOTO_SERVICE_TOKEN',
    answer: isSilent ? (types.length > 1 ? 'text' : 'none') : types[0] === 'application/json' ? 'json' : 'file',
  };
}

function exampleOf({ examples, enum: values }: JsonSchema): unknown {
  return examples?.[0] ?? values?.[0];
}

/** These fields of a body, with the examples of the document; of several shapes, of the first. */
function pick({ $ref, oneOf, properties }: JsonSchema, fields: readonly string[], schemas: Schemas): object {
  const inner = $ref === undefined ? oneOf?.[0] : schemas[$ref.replace('#/components/schemas/', '')];
  if (inner !== undefined) return pick(inner, fields, schemas);
  return Object.fromEntries(fields.map((name) => [name, exampleOf(properties?.[name] ?? {})]));
}

function curl(request: SampleRequest): string {
  const { method, json, file, token, answer } = request;
  const verb = method === 'HEAD' ? ' --head' : method === 'GET' ? '' : ` -X ${method}`;
  const lines = [
    `curl --fail-with-body${verb} "$PHOTO_SERVICE_URL${request.target}"`,
    ...(token === null ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...Object.entries(request.headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(json === null ? [] : [`-d '${JSON.stringify(json)}'`]),
    ...(file === null ? [] : [`--data-binary @${file}`]),
    ...(answer === 'file' ? ['-o photo.jpg'] : []),
  ];
  return lines.join(' \\\n  ');
}

function typeScript(request: SampleRequest): string {
  const { method, template, parameters, query, json, token, answer } = request;
  if (token === null || answer === 'file' || answer === 'text') return fetched(request);
  const isOperator = token === 'OPERATOR_TOKEN';
  const name = isOperator ? 'OperatorClient' : 'PhotoService';
  const given = {
    ...(Object.keys(parameters).length > 0 && { path: parameters }),
    ...(Object.keys(query).length > 0 && { query }),
  };
  const options = {
    ...(Object.keys(given).length > 0 && { params: given }),
    ...(json !== null && { body: json }),
  };
  const more = Object.keys(options).length === 0 ? '' : `, ${literal(options)}`;
  const call = `await client.api.${method}('${template}'${more});`;
  return [
    `import { ${name} } from 'photo-service-sdk';`,
    '',
    `const client = new ${name}({`,
    '  baseUrl: process.env.PHOTO_SERVICE_URL,',
    `  token: process.env.${token},`,
    '});',
    answer === 'json' ? `const { data } = ${call}` : call,
    ...(answer === 'json' ? ['console.log(data);'] : []),
  ].join('\n');
}

/** Without the SDK, where there is nothing for it to do. */
function fetched(request: SampleRequest): string {
  const { method, file, token, answer } = request;
  const headers = [
    ...(token === null ? [] : [`    Authorization: \`Bearer \${process.env.${token}}\`,`]),
    ...Object.entries(request.headers).map(([name, value]) => `    '${name}': '${value}',`),
  ];
  const names = [...(file === null ? [] : ['readFile']), ...(answer === 'file' ? ['writeFile'] : [])];
  return [
    ...(names.length === 0 ? [] : [`import { ${names.join(', ')} } from 'node:fs/promises';`, '']),
    `const response = await fetch(\`\${process.env.PHOTO_SERVICE_URL}${request.target}\`, {`,
    `  method: '${method}',`,
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(file === null ? [] : [`  body: await readFile('${file}'),`]),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    ...(answer === 'file' ? ["await writeFile('photo.jpg', await response.bytes());"] : []),
    ...(answer === 'text' ? ['console.log(await response.text());'] : []),
  ].join('\n');
}

/** A value as TypeScript is written by people. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${name}: ${literal(inner)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function python(request: SampleRequest): string {
  const { method, json, file, token, answer } = request;
  const headers = [
    ...(token === null ? [] : [`        "Authorization": "Bearer " + os.environ["${token}"],`]),
    ...Object.entries(request.headers).map(([name, value]) => `        "${name}": "${value}",`),
  ];
  const literal = JSON.stringify(json)
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "')
    .replace(/\btrue\b/g, 'True')
    .replace(/\bfalse\b/g, 'False');
  return [
    ...(answer === 'json' || json !== null ? ['import json'] : []),
    'import os',
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["PHOTO_SERVICE_URL"] + "${request.target}",`,
    `    method="${method}",`,
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ...(json === null ? [] : [`    data=json.dumps(${literal}).encode(),`]),
    ...(file === null ? [] : [`    data=open("${file}", "rb").read(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    answer === 'json'
      ? '    print(json.load(response))'
      : answer === 'file'
        ? '    open("photo.jpg", "wb").write(response.read())'
        : answer === 'text'
          ? '    print(response.read().decode())'
          : '    print(response.status)',
  ].join('\n');
}

function php(request: SampleRequest): string {
  const { method, json, file, token, answer } = request;
  const headers = [
    ...(token === null ? [] : [`        'Authorization: Bearer ' . getenv('${token}'),`]),
    ...Object.entries(request.headers).map(([name, value]) => `        '${name}: ${value}',`),
  ];
  return [
    '<?php',
    "$context = stream_context_create(['http' => [",
    `    'method' => '${method}',`,
    ...(headers.length === 0 ? [] : ["    'header' => [", ...headers, '    ],']),
    ...(json === null ? [] : [`    'content' => '${JSON.stringify(json)}',`]),
    ...(file === null ? [] : [`    'content' => file_get_contents('${file}'),`]),
    ']]);',
    `$answer = file_get_contents(getenv('PHOTO_SERVICE_URL') . '${request.target}', false, $context);`,
    "if ($answer === false) throw new RuntimeException('The request failed.');",
    ...(answer === 'json' ? ['print_r(json_decode($answer, true));'] : []),
    ...(answer === 'text' ? ['echo $answer;'] : []),
    ...(answer === 'file' ? ["file_put_contents('photo.jpg', $answer);"] : []),
  ].join('\n');
}

function ruby(request: SampleRequest): string {
  const { method, json, file, token, answer } = request;
  const verb = `${method.charAt(0)}${method.slice(1).toLowerCase()}`;
  return [
    ...(answer === 'json' ? ['require "json"'] : []),
    'require "net/http"',
    '',
    `uri = URI(ENV["PHOTO_SERVICE_URL"] + "${request.target}")`,
    `request = Net::HTTP::${verb}.new(uri)`,
    ...(token === null ? [] : [`request["Authorization"] = "Bearer #{ENV["${token}"]}"`]),
    ...Object.entries(request.headers).map(([name, value]) => `request["${name}"] = "${value}"`),
    ...(json === null ? [] : [`request.body = '${JSON.stringify(json)}'`]),
    ...(file === null ? [] : [`request.body = File.binread("${file}")`]),
    'response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }',
    'response.value # raises unless it succeeded',
    ...(answer === 'json' ? ['puts JSON.pretty_generate(JSON.parse(response.body))'] : []),
    ...(answer === 'text' ? ['puts response.body'] : []),
    ...(answer === 'file' ? ['File.binwrite("photo.jpg", response.body)'] : []),
  ].join('\n');
}

/** A whole program, because Go has nothing shorter that runs. */
function goSample(request: SampleRequest): string {
  const { method, json, file, token, answer } = request;
  const ofFile = file === null ? 'nil' : 'file';
  const reader = json === null ? ofFile : `strings.NewReader(\`${JSON.stringify(json)}\`)`;
  const output = answer === 'none' ? 'fmt' : 'io';
  const imports = [output, 'log', 'net/http', 'os', ...(json === null ? [] : ['strings'])];
  const lines = [
    ...(file === null ? [] : [`file, err := os.Open("${file}")`, ...failing]),
    `request, err := http.NewRequest("${method}", os.Getenv("PHOTO_SERVICE_URL")+"${request.target}", ${reader})`,
    ...failing,
    ...(file === null
      ? []
      : ['if info, err := file.Stat(); err == nil {', '\trequest.ContentLength = info.Size()', '}']),
    ...(token === null ? [] : [`request.Header.Set("Authorization", "Bearer "+os.Getenv("${token}"))`]),
    ...Object.entries(request.headers).map(([name, value]) => `request.Header.Set("${name}", "${value}")`),
    'response, err := http.DefaultClient.Do(request)',
    ...failing,
    'defer response.Body.Close()',
    'if response.StatusCode >= 400 {',
    '\tlog.Fatal(response.Status)',
    '}',
    ...(answer === 'file' ? ['photo, err := os.Create("photo.jpg")', ...failing] : []),
    answer === 'none'
      ? 'fmt.Println(response.Status)'
      : `io.Copy(${answer === 'file' ? 'photo' : 'os.Stdout'}, response.Body)`,
  ];
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...lines.map((line) => `\t${line}`),
    '}',
  ].join('\n');
}

const failing = ['if err != nil {', '\tlog.Fatal(err)', '}'];
