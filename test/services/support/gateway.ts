import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { openS3Client, type S3Settings } from '../../../src/adapters/s3-blobs/s3-client.js';
import { until } from '../../e2e/support/processes.js';
import { freePort } from '../../e2e/support/service.js';
import { startForRun } from './daemon.js';
import { program } from './programs.js';
import { oncePerRun } from './shared.js';

const run = promisify(execFile);

/** An S3-compatible server: Ceph's Object Gateway over one monitor and one object store that lives in memory. */
export interface Gateway {
  readonly endpoint: string;
  /** Makes a bucket, empty and of its own, and tells how to reach it. */
  bucket(): Promise<S3Settings>;
}

const credentials = { accessKeyId: 'testaccess', secretAccessKey: 'testsecret123' };

/**
 * The gateway of this run, for all suites. Takes some ten seconds the first time. Needs ceph-mon, ceph-osd, ceph-common and radosgw; any
 * account may run it.
 */
export async function sharedGateway(): Promise<Gateway> {
  const endpoint = await oncePerRun('gateway', startGateway);
  return { endpoint, bucket: () => makeBucket(endpoint) };
}

async function startGateway(folder: string): Promise<string> {
  const ceph = cephPrograms();
  for (const name of ['mon', 'osd', 'run']) mkdirSync(join(folder, name));
  const outputs: string[] = [];
  try {
    return await start(ceph, folder, outputs);
  } catch (error) {
    const printed = outputs.map((output) => `${output}:\n${readFileSync(output, 'utf8').slice(-4000)}`).join('\n');
    throw new Error(`The S3 gateway did not start: ${String(error)}\n${printed}`);
  }
}

function cephPrograms() {
  return {
    mon: program('ceph-mon', 'ceph-mon'),
    osd: program('ceph-osd', 'ceph-osd'),
    tool: program('ceph', 'ceph-common'),
    monmap: program('monmaptool', 'ceph-common'),
    gateway: program('radosgw', 'radosgw'),
    admin: program('radosgw-admin', 'radosgw'),
  };
}

async function start(ceph: ReturnType<typeof cephPrograms>, folder: string, outputs: string[]): Promise<string> {
  const [port, v2, v1] = [await freePort(), await freePort(), await freePort()];
  const cluster = randomUUID();
  writeFileSync(join(folder, 'ceph.conf'), settings(folder, cluster, { port, v2, v1 }));
  const env = { ...process.env, CEPH_CONF: join(folder, 'ceph.conf') };
  const call = (command: string, ...args: string[]) => run(command, args, { env, timeout: 120_000 });
  const launch = (name: string, ...command: [string, ...string[]]) => {
    const output = join(folder, 'run', `${name}.out`);
    startForRun(command, output, env);
    outputs.push(output);
  };
  const monmap = join(folder, 'monmap');
  await call(
    ceph.monmap,
    '--create',
    '--addv',
    'a',
    `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`,
    '--fsid',
    cluster,
    monmap,
  );
  await call(ceph.mon, '-i', 'a', '--mkfs', '--monmap', monmap);
  launch('mon', ceph.mon, '-i', 'a', '-f');
  const osd = randomUUID();
  await call(ceph.tool, 'osd', 'new', osd);
  await call(ceph.osd, '-i', '0', '--mkfs', '--osd-uuid', osd);
  launch('osd', ceph.osd, '-i', '0', '-f');
  const keys = [`--access-key=${credentials.accessKeyId}`, `--secret-key=${credentials.secretAccessKey}`];
  await call(ceph.admin, 'user', 'create', '--uid=test', '--display-name=test', ...keys);
  launch('gateway', ceph.gateway, '-n', 'client.admin', '-f');
  const endpoint = `http://127.0.0.1:${port}`;
  await until('the gateway to answer', () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    ),
  );
  return endpoint;
}

async function makeBucket(endpoint: string): Promise<S3Settings> {
  const settings = { endpoint, region: 'us-east-1', bucket: `test-${randomUUID()}`, credentials, forcePathStyle: true };
  const client = openS3Client(settings);
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }));
  client.destroy();
  return settings;
}

/** One copy of everything, no passwords between the daemons (S3's own are on), few placement groups: made to start fast. Small parts, for small tests. */
function settings(folder: string, cluster: string, { port, v2, v1 }: { port: number; v2: number; v1: number }): string {
  return `[global]
fsid=${cluster}
mon_host=[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]
public_addr=127.0.0.1
cluster_addr=127.0.0.1
auth_cluster_required=none
auth_service_required=none
auth_client_required=none
ms_mon_client_mode=crc
ms_mon_service_mode=crc
ms_mon_cluster_mode=crc
run_dir=${folder}/run
admin_socket=${folder}/run/$name.asok
pid_file=${folder}/run/$name.pid
log_file=${folder}/run/$name.log
mon_data=${folder}/mon
osd_data=${folder}/osd
osd_objectstore=memstore
memstore_device_bytes=4294967296
osd_pool_default_size=1
osd_pool_default_min_size=1
osd_pool_default_pg_num=2
osd_pool_default_pgp_num=2
osd_pool_default_pg_autoscale_mode=off
osd_crush_chooseleaf_type=0
mon_allow_pool_size_one=true
mon_max_pg_per_osd=1000
mon_warn_on_pool_no_redundancy=false
rgw_enable_usage_log=false
debug_osd=0/0
debug_ms=0/0
debug_rgw=0/0
debug_objecter=0/0
debug_mon=0/0
debug_paxos=0/0
debug_monc=0/0
debug_rados=0/0
debug_objclass=0/0
debug_memstore=0/0
osd_enable_op_tracker=false
rgw_multipart_min_part_size=65536
rgw_frontends=beast endpoint=127.0.0.1:${port}
`;
}
