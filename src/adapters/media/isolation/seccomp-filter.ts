/** Processors for which a filter can be made, as Node names them. */
export type FilteredArchitecture = 'x64' | 'arm64';

/**
 * System calls that no decoder needs, and their numbers on x64 and arm64 (Linux's asm/unistd.h; null if there is none). Refused with EPERM,
 * except for those of `UNSUPPORTED`.
 */
export const FORBIDDEN = {
  // Network, and sockets between processes. The child communicates with its parent over one that is already open.
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  // Other processes, and new ones. `clone` is refused unless it makes a thread.
  fork: [57, null],
  vfork: [58, null],
  execveat: [322, 281],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  // Memory that is no process's: files without a name in memory, and what processes exchange.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
  mq_open: [240, 180],
  // Another view of the file system, or other namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // Keys of the kernel.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Parts of the kernel in which vulnerabilities have been found repeatedly.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // The machine itself.
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
} as const satisfies Record<string, readonly [number, number | null]>;

/** Answered as by a kernel that does not support it, so that the C library creates threads by `clone`, whose flags a filter can read. */
const CLONE3 = 435;
const CLONE: Readonly<Record<FilteredArchitecture, number>> = { x64: 56, arm64: 220 };
/** The flag of clone(2) by which the new task is a thread of this process. */
const CLONE_THREAD = 0x0001_0000;

/**
 * Requests of ioctl(2), by its second argument, that type into a terminal for its other programs to read (linux/tty.h). The child shares the
 * service's session, and with it the terminal that the service may have been started from.
 */
export const FORBIDDEN_REQUESTS = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c } as const;
const IOCTL: Readonly<Record<FilteredArchitecture, number>> = { x64: 16, arm64: 29 };

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64 of linux/audit.h. */
const AUDIT_ARCH: Readonly<Record<FilteredArchitecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** On x64, numbers from here on are those of x32, a second entry to the same calls. */
const X32_BIT = 0x4000_0000;

// Offsets into `struct seccomp_data` (linux/seccomp.h).
const NUMBER = 0;
const ARCHITECTURE = 4;
/** The lower halves of the first two arguments: both processors store the lower half first. */
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

// Operations of classic BPF (linux/filter.h, linux/bpf_common.h).
const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const IF_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const IF_ANY_BIT = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K

// Verdicts (linux/seccomp.h), and the errors of asm-generic/errno.h.
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const REFUSE = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;

/** One instruction: its code, how many to skip if a condition holds or not, and its value. */
type Instruction = readonly [operation: number, skipIf: number, skipUnless: number, value: number];

/**
 * The filter that a decoder runs under, in the kernel's format (seccomp(2)): a classic BPF program that runs at each system call.
 * Everything is allowed except what `FORBIDDEN` and `FORBIDDEN_REQUESTS` name, new processes, and calls with the numbers of another
 * architecture, which kill the process.
 */
export function seccompFilter(architecture: FilteredArchitecture): Buffer {
  const numbers = Object.values(FORBIDDEN).flatMap((row) => row[architecture === 'x64' ? 0 : 1] ?? []);
  const program: Instruction[] = [
    // Calls are numbered by architecture: with another's numbers everything below would be wrong.
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, AUDIT_ARCH[architecture]],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
    ...(architecture === 'x64'
      ? ([
          [IF_AT_LEAST, 0, 1, X32_BIT],
          [RETURN, 0, 0, KILL_PROCESS],
        ] satisfies Instruction[])
      : []),
    // Each forbidden number jumps over the rest of this list, and the nine instructions after it, to EPERM.
    ...numbers.map((number, at): Instruction => [IF_EQUAL, numbers.length - at + 8, 0, number]),
    [IF_EQUAL, 9, 0, CLONE3],
    // `ioctl`: its second argument says what it does.
    [IF_EQUAL, 0, 3, IOCTL[architecture]],
    [LOAD, 0, 0, SECOND_ARGUMENT],
    [IF_EQUAL, 5, 0, FORBIDDEN_REQUESTS.TIOCSTI],
    [IF_EQUAL, 4, 3, FORBIDDEN_REQUESTS.TIOCLINUX],
    // `clone`: its first argument says what it creates. All others are allowed.
    [IF_EQUAL, 0, 2, CLONE[architecture]],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [IF_ANY_BIT, 0, 1, CLONE_THREAD],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE | EPERM],
    [RETURN, 0, 0, REFUSE | ENOSYS],
  ];
  // Each as `struct sock_filter`; both processors are little-endian where Node runs on them.
  const bytes = Buffer.alloc(8 * program.length);
  for (const [at, [operation, skipIf, skipUnless, value]] of program.entries()) {
    bytes.writeUInt16LE(operation, 8 * at);
    bytes.set([skipIf, skipUnless], 8 * at + 2);
    bytes.writeUInt32LE(value >>> 0, 8 * at + 4);
  }
  return bytes;
}
