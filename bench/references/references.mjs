// What the service is compared with: bare servers, and nginx.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyed } from '../load.mjs';
import { freePort, root, until200 } from '../service.mjs';

/** Bare servers, each in a process of its own. */
export class References {
  #started = [];

  constructor(connection) {
    this.env = { ...process.env, DATABASE: JSON.stringify(connection) };
  }

  async start(name, args, path, processes = 1) {
    const port = await freePort();
    const script = join(root, 'bench', 'references', name);
    const stdio = ['ignore', 'ignore', 'inherit'];
    const env = { ...this.env, PROCESSES: String(processes) };
    const child = spawn(process.execPath, [script, String(port), ...args], { env, stdio });
    this.#started.push(child);
    const url = `http://127.0.0.1:${port}${path}`;
    await until200(url);
    return { url, pid: child.pid };
  }

  stop() {
    for (const child of this.#started) child.kill('SIGKILL');
  }
}

/**
 * What clients ask for most, each beside a bare server that does as little as can be for the same answer: names, targets, and what each is compared
 * with. `paths` are those of one photo; its thumb is copied into `folder` for `res.sendFile`.
 */
export async function readRows(service, references, paths, folder) {
  const page = await references.start('express-pg.mjs', [], '/page');
  const row = { ...page, url: page.url.replace('/page', `/row/${paths.photo.split('/').at(-1)}`) };
  const thumb = join(folder, 'thumb.jpg');
  writeFileSync(thumb, Buffer.from(await (await fetch(service.url + paths.thumb)).arrayBuffer()));
  const sent = await references.start('send-file.mjs', [thumb], '/');
  return [
    ['GET /photos?limit=50', keyed(service, '/api/v1/photos?limit=50'), page],
    ['GET /photos/{id}', keyed(service, paths.photo), row],
    ['GET /me', keyed(service, '/api/v1/me'), row],
    ['thumb through the API', keyed(service, `${paths.photo}/download?rendition=thumb`), sent],
    ['thumb by a signed URL', { ...service, url: service.url + paths.thumb }, sent],
  ];
}

/** Where its requests come from, and no others: the service is told to hand files over to it. */
export const NGINX_SETTINGS = { NGINX_BLOBS_LOCATION: '/stored-blobs', TRUSTED_PROXIES: '127.0.0.2' };

export const hasNginx = () => spawnSync('nginx', ['-v']).status === 0;

/**
 * nginx as docker/nginx.conf has it, in front of a service for benchmarks; and beside it one that sends a folder by itself. `front` passes
 * requests on to the service, `files` has what is in `folder`. Its own files are there too.
 */
export async function startNginx(service, folder) {
  const [front, files] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'nginx.conf'), configuration(service, folder, { front, files }));
  const args = ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log', '-g', 'daemon off; pid nginx.pid;'];
  const child = spawn('nginx', args, { stdio: 'inherit' });
  await until200(`http://127.0.0.1:${front}/healthz`);
  return {
    front: `http://127.0.0.1:${front}`,
    files: `http://127.0.0.1:${files}`,
    pid: child.pid,
    stop: () => child.kill(),
  };
}

function configuration({ port, dataDir }, folder, { front, files }) {
  const places = [
    ['user photo-service;', process.getuid() === 0 ? 'user root;' : ''],
    ['listen 8080;', `listen 127.0.0.1:${front};`],
    ['server 127.0.0.1:3000;', `server 127.0.0.1:${port};`],
    ['/var/lib/photo-service/blobs/;', `${dataDir}/blobs/;`],
    ['/var/cache/nginx/photo-service', `${folder}/cache`],
    // Its usual folders are root's.
    [
      'sendfile on;',
      `sendfile on; ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}`,
    ],
    ['  server {', `  server { listen 127.0.0.1:${files}; root ${folder}; }\n\n  server {`],
  ];
  return places.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`docker/nginx.conf has no "${from}" any more`);
      return text.replace(from, to);
    },
    // Each location says so.
    readFileSync(join(root, 'docker', 'nginx.conf'), 'utf8').replaceAll(
      'proxy_pass http://service;',
      '$& proxy_bind 127.0.0.2;',
    ),
  );
}
