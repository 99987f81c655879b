import { headersOf, type SampleRequest, targetOf } from './sample-request.js';

/** An entry of `x-codeSamples`, as readers of OpenAPI documents know it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** The same request in each language, with what the language brings along, and in TypeScript with the SDK. */
export function codeSamples(request: SampleRequest): readonly CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(request) },
    { lang: 'TypeScript', label: 'TypeScript', source: typeScript(request) },
    { lang: 'Python', label: 'Python', source: python(request) },
    { lang: 'PHP', label: 'PHP', source: php(request) },
    { lang: 'Go', label: 'Go', source: goSample(request) },
    { lang: 'Ruby', label: 'Ruby', source: ruby(request) },
  ];
}

function curl(request: SampleRequest): string {
  const { method, body, token, answer } = request;
  const verb = method === 'HEAD' ? ' --head' : method === 'GET' ? '' : ` -X ${method}`;
  const lines = [
    `curl --fail-with-body${verb} "$PHOTO_SERVICE_URL${targetOf(request)}"`,
    ...(token === null ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...headersOf(request).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === null ? [] : ['json' in body ? `-d '${JSON.stringify(body.json)}'` : `--data-binary @${body.file}`]),
    ...(answer === 'file' ? ['-o photo.jpg'] : []),
  ];
  return lines.join(' \\\n  ');
}

function typeScript(request: SampleRequest): string {
  const { method, template, parameters, query, body, token, answer } = request;
  if (token === null || answer === 'file' || answer === 'text') return fetched(request);
  const isOperator = token === 'OPERATOR_TOKEN';
  const name = isOperator ? 'OperatorClient' : 'PhotoService';
  const given = {
    ...(Object.keys(parameters).length > 0 && { path: parameters }),
    ...(Object.keys(query).length > 0 && { query }),
  };
  const options = {
    ...(Object.keys(given).length > 0 && { params: given }),
    ...(body !== null && 'json' in body && { body: body.json }),
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
  const { method, body, token, answer } = request;
  const file = body !== null && 'file' in body ? body.file : null;
  const headers = [
    ...(token === null ? [] : [`    Authorization: \`Bearer \${process.env.${token}}\`,`]),
    ...headersOf(request).map(([name, value]) => `    '${name}': '${value}',`),
  ];
  const names = [...(file === null ? [] : ['readFile']), ...(answer === 'file' ? ['writeFile'] : [])];
  return [
    ...(names.length === 0 ? [] : [`import { ${names.join(', ')} } from 'node:fs/promises';`, '']),
    `const response = await fetch(\`\${process.env.PHOTO_SERVICE_URL}${targetOf(request)}\`, {`,
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
  const { method, body, token, answer } = request;
  const headers = [
    ...(token === null ? [] : [`        "Authorization": "Bearer " + os.environ["${token}"],`]),
    ...headersOf(request).map(([name, value]) => `        "${name}": "${value}",`),
  ];
  const data =
    body === null
      ? []
      : [
          `    data=${'json' in body ? `json.dumps(${pythonLiteral(body.json)}).encode()` : `open("${body.file}", "rb").read()`},`,
        ];
  const isJson = answer === 'json' || (body !== null && 'json' in body);
  return [
    ...(isJson ? ['import json'] : []),
    'import os',
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["PHOTO_SERVICE_URL"] + "${targetOf(request)}",`,
    `    method="${method}",`,
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ...data,
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

function pythonLiteral(value: object): string {
  return JSON.stringify(value)
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "')
    .replace(/\btrue\b/g, 'True')
    .replace(/\bfalse\b/g, 'False');
}

function php(request: SampleRequest): string {
  const { method, body, token, answer } = request;
  const headers = [
    ...(token === null ? [] : [`        'Authorization: Bearer ' . getenv('${token}'),`]),
    ...headersOf(request).map(([name, value]) => `        '${name}: ${value}',`),
  ];
  const content =
    body === null
      ? []
      : [
          `    'content' => ${'json' in body ? `'${JSON.stringify(body.json)}'` : `file_get_contents('${body.file}')`},`,
        ];
  return [
    '<?php',
    "$context = stream_context_create(['http' => [",
    `    'method' => '${method}',`,
    ...(headers.length === 0 ? [] : ["    'header' => [", ...headers, '    ],']),
    ...content,
    ']]);',
    `$answer = file_get_contents(getenv('PHOTO_SERVICE_URL') . '${targetOf(request)}', false, $context);`,
    "if ($answer === false) throw new RuntimeException('The request failed.');",
    ...(answer === 'json' ? ['print_r(json_decode($answer, true));'] : []),
    ...(answer === 'text' ? ['echo $answer;'] : []),
    ...(answer === 'file' ? ["file_put_contents('photo.jpg', $answer);"] : []),
  ].join('\n');
}

function ruby(request: SampleRequest): string {
  const { method, body, token, answer } = request;
  const verb = `${method.charAt(0)}${method.slice(1).toLowerCase()}`;
  return [
    ...(answer === 'json' ? ['require "json"'] : []),
    'require "net/http"',
    '',
    `uri = URI(ENV["PHOTO_SERVICE_URL"] + "${targetOf(request)}")`,
    `request = Net::HTTP::${verb}.new(uri)`,
    ...(token === null ? [] : [`request["Authorization"] = "Bearer #{ENV["${token}"]}"`]),
    ...headersOf(request).map(([name, value]) => `request["${name}"] = "${value}"`),
    ...(body === null
      ? []
      : [
          'json' in body
            ? `request.body = '${JSON.stringify(body.json)}'`
            : `request.body = File.binread("${body.file}")`,
        ]),
    'response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }',
    'response.value # raises unless it succeeded',
    ...(answer === 'json' ? ['puts JSON.pretty_generate(JSON.parse(response.body))'] : []),
    ...(answer === 'text' ? ['puts response.body'] : []),
    ...(answer === 'file' ? ['File.binwrite("photo.jpg", response.body)'] : []),
  ].join('\n');
}

/** A whole program, because Go has nothing shorter that runs. */
function goSample(request: SampleRequest): string {
  const { method, body, token, answer } = request;
  const isJson = body !== null && 'json' in body;
  const reader = body === null ? 'nil' : isJson ? `strings.NewReader(\`${JSON.stringify(body.json)}\`)` : 'file';
  const imports = [...(answer === 'none' ? ['fmt'] : ['io']), 'log', 'net/http', 'os', ...(isJson ? ['strings'] : [])];
  const file = body !== null && 'file' in body ? body.file : null;
  const lines = [
    ...(file === null ? [] : [`file, err := os.Open("${file}")`, ...failing]),
    `request, err := http.NewRequest("${method}", os.Getenv("PHOTO_SERVICE_URL")+"${targetOf(request)}", ${reader})`,
    ...failing,
    ...(file === null
      ? []
      : ['if info, err := file.Stat(); err == nil {', '\trequest.ContentLength = info.Size()', '}']),
    ...(token === null ? [] : [`request.Header.Set("Authorization", "Bearer "+os.Getenv("${token}"))`]),
    ...headersOf(request).map(([name, value]) => `request.Header.Set("${name}", "${value}")`),
    'response, err := http.DefaultClient.Do(request)',
    ...failing,
    'defer response.Body.Close()',
    'if response.StatusCode >= 400 {',
    '\tlog.Fatal(response.Status)',
    '}',
    ...outputOf(answer),
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

function outputOf(answer: SampleRequest['answer']): readonly string[] {
  if (answer === 'none') return ['fmt.Println(response.Status)'];
  if (answer !== 'file') return ['io.Copy(os.Stdout, response.Body)'];
  return ['photo, err := os.Create("photo.jpg")', ...failing, 'io.Copy(photo, response.Body)'];
}
