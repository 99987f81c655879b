import { headersOf, type SampleRequest, targetOf } from './sample-request.js';

/** A whole program, because Go has nothing shorter that runs. */
export function goSample(request: SampleRequest): string {
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
