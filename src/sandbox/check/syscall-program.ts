/**
 * A program for Linux that makes one system call and exits with its error number, or with 0. Node cannot make a system call by
 * number, and no other program is on every machine. Pure.
 */

export type SystemCall = { x64: number; arm64: number; args: readonly number[] }

const HEADER_BYTES = 64 + 56
const LOAD_ADDRESS = 0x40_0000
const MACHINES = { x64: 62, arm64: 183 }

export function syscallProgram({ args, ...numbers }: SystemCall, processor: 'x64' | 'arm64'): Buffer {
  const call = { number: numbers[processor], args }
  const code = processor === 'x64' ? codeForX64(call) : codeForArm64(call)
  return Buffer.concat([headers(MACHINES[processor], HEADER_BYTES + code.length), code])
}

/** An ELF file with one segment: all of it, loaded as a program. */
function headers(machine: number, size: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.write('\x7fELF\x02\x01\x01', 'latin1')
  for (const [offset, value] of [
    [16, 2],
    [18, machine],
    [52, 64],
    [54, 56],
    [56, 1],
  ] as const)
    bytes.writeUInt16LE(value, offset)
  for (const [offset, value] of [
    [20, 1],
    [64, 1],
    [68, 5],
  ] as const)
    bytes.writeUInt32LE(value, offset)
  const longs = [
    [24, LOAD_ADDRESS + HEADER_BYTES],
    [32, 64],
    [80, LOAD_ADDRESS],
    [88, LOAD_ADDRESS],
    [96, size],
    [104, size],
    [112, 0x1000],
  ] as const
  for (const [offset, value] of longs) bytes.writeBigUInt64LE(BigInt(value), offset)
  return bytes
}

type Call = { number: number; args: readonly number[] }

function codeForX64({ number, args }: Call): Buffer {
  // mov rdi, rsi, rdx, r10, r8, r9
  const registers = ['48c7c7', '48c7c6', '48c7c2', '49c7c2', '49c7c0', '49c7c1']
  const move = (opcode: string, value: number) => {
    const immediate = Buffer.alloc(4)
    immediate.writeInt32LE(value | 0)
    return Buffer.concat([Buffer.from(opcode, 'hex'), immediate])
  }
  const syscall = '0f05'
  // xor edi, edi; test rax, rax; jns +6; mov rdi, rax; neg rdi; mov eax, 60 (exit)
  const finish = `31ff4885c079064889c748f7dfb83c000000${syscall}`
  return Buffer.concat([
    ...args.map((value, at) => move(registers[at] ?? '', value)),
    move('48c7c0', number),
    Buffer.from(syscall + finish, 'hex'),
  ])
}

function codeForArm64({ number, args }: Call): Buffer {
  // movz, then movk for the upper half
  const move = (register: number, value: number) => [
    0xd280_0000 + (value & 0xffff) * 32 + register,
    0xf2a0_0000 + ((value >>> 16) & 0xffff) * 32 + register,
  ]
  const svc = 0xd400_0001
  // cmp x0, #0; csneg x0, xzr, x0, ge
  const toErrno = [0xf100_001f, 0xda80_a7e0]
  const words = [
    ...args.flatMap((value, at) => move(at, value)),
    ...move(8, number),
    svc,
    ...toErrno,
    ...move(8, 93),
    svc,
  ]
  const bytes = Buffer.alloc(words.length * 4)
  for (const [at, word] of words.entries()) bytes.writeUInt32LE(word, at * 4)
  return bytes
}
