import {
  type FilteredArchitecture,
  FORBIDDEN,
  FORBIDDEN_REQUESTS,
  seccompFilter,
} from '../../src/adapters/media/isolation/seccomp-filter.js';

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;

const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/**
 * What a filter says of a call: the part of the kernel's interpreter of classic BPF that it uses (Linux's Documentation/networking/filter.rst),
 * so that the filter of the other processor is tested here as well.
 */
function verdict(
  architecture: FilteredArchitecture,
  call: { arch?: number; number: number; argument?: number; second?: number },
): number {
  const program = seccompFilter(architecture);
  const data: Readonly<Record<number, number>> = {
    0: call.number,
    4: call.arch ?? AUDIT_ARCH[architecture],
    16: call.argument ?? 0,
    24: call.second ?? 0,
  };
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const operation = program.readUInt16LE(8 * at);
    const [skipIf = 0, skipUnless = 0] = [program[8 * at + 2], program[8 * at + 3]];
    const value = program.readUInt32LE(8 * at + 4);
    const jump = (holds: boolean) => {
      at += holds ? skipIf : skipUnless;
    };
    if (operation === 0x20) accumulator = data[value] ?? Number.NaN;
    else if (operation === 0x15) jump(accumulator === value);
    else if (operation === 0x35) jump(accumulator >= value);
    else if (operation === 0x45) jump((accumulator & value) !== 0);
    else if (operation === 0x06) return value;
    else throw new Error(`operation ${operation} is not known here`);
  }
  throw new Error('the filter ended without a verdict: the kernel would not take it');
}

describe.each([
  ['x64', 0, { read: 0, clone: 56, execve: 59, ioctl: 16 }],
  ['arm64', 1, { read: 63, clone: 220, execve: 221, ioctl: 29 }],
] as const)('on %s', (architecture, column, known) => {
  const of = (number: number, argument = 0) => verdict(architecture, { number, argument });

  it.each(Object.entries(FORBIDDEN).filter(([, numbers]) => numbers[column] !== null))(
    '%s is refused',
    (_, numbers) => {
      expect(of(numbers[column] ?? Number.NaN)).toBe(EPERM);
    },
  );

  it('threads can be created, processes cannot', () => {
    const [CLONE_THREAD, CLONE_VM] = [0x0001_0000, 0x0000_0100];
    expect(of(known.clone, CLONE_THREAD | CLONE_VM)).toBe(ALLOW);
    expect(of(known.clone, CLONE_VM)).toBe(EPERM);
    expect(of(435)).toBe(ENOSYS);
  });

  it.each(Object.entries(FORBIDDEN_REQUESTS))('of ioctl, %s is refused', (_, second) => {
    expect(verdict(architecture, { number: known.ioctl, second })).toBe(EPERM);
    // The same number for another call, and as the first argument.
    expect(verdict(architecture, { number: known.read, second })).toBe(ALLOW);
    expect(verdict(architecture, { number: known.ioctl, argument: second })).toBe(ALLOW);
  });

  it('all other calls are allowed', () => {
    const forbidden = new Set<number | null>([
      ...Object.values(FORBIDDEN).map((numbers) => numbers[column]),
      known.clone,
      435,
    ]);
    const others = Array.from({ length: 460 }, (_, number) => number).filter((number) => !forbidden.has(number));
    expect(others).toEqual(expect.arrayContaining([known.read, known.execve, known.ioctl]));
    expect(new Set(others.map((number) => of(number)))).toEqual(new Set([ALLOW]));
  });

  it('calls by the numbers of another processor end the process', () => {
    const other = AUDIT_ARCH[architecture === 'x64' ? 'arm64' : 'x64'];
    expect(verdict(architecture, { number: known.read, arch: other })).toBe(KILL);
  });
});

test('on x64, calls by the numbers of x32 end the process, too', () => {
  expect(verdict('x64', { number: 0x4000_0000 })).toBe(KILL);
});
