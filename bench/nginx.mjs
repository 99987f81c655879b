// nginx as docker/nginx.conf has it, in front of a service for benchmarks; and beside it one that sends a folder by itself.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, root, until200 } from './service.mjs';

const PROGRAM = 'nginx';

/** Where its requests come from, and no others: the service is told to hand files over to it. */
export const NGINX_SETTINGS = { NGINX_BLOBS_LOCATION: '/stored-blobs', TRUSTED_PROXIES: '127.0.0.2' };

export const hasNginx = () => spawnSync(PROGRAM, ['-v']).status === 0;

/** `front` passes requests on to the service, `files` has what is in `folder`. Its own files are there too. */
export async function startNginx(service, folder) {
  const [front, files] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'nginx.conf'), configuration(service, folder, { front, files }));
  const args = ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log', '-g', 'daemon off; pid nginx.pid;'];
  const child = spawn(PROGRAM, args, { stdio: 'inherit' });
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
