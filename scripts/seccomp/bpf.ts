/** Assembles classic BPF, the language of seccomp filters (seccomp(2)). Pure. */

type Instruction = { code: number; jumpTrue: number; jumpFalse: number; value: number }

const LOAD_WORD = 0x20 // BPF_LD | BPF_W | BPF_ABS
const JUMP_EQUAL = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_GREATER_OR_EQUAL = 0x35 // BPF_JMP | BPF_JGE | BPF_K
const JUMP_ANY_BIT = 0x45 // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06 // BPF_RET | BPF_K

const INSTRUCTION_BYTES = 8

/** Offsets in `struct seccomp_data`. Both processors are little-endian, so the low half of an argument comes first. */
export const NUMBER_AT = 0
export const PROCESSOR_AT = 4
export const argumentAt = (index: number) => 16 + 8 * index

export const ALLOW = 0x7fff_0000
export const KILL_PROCESS = 0x8000_0000
export const failWith = (errno: number) => 0x0005_0000 | errno

export const load = (offset: number): Instruction => ({ code: LOAD_WORD, jumpTrue: 0, jumpFalse: 0, value: offset })

export const giveBack = (value: number): Instruction => ({ code: RETURN, jumpTrue: 0, jumpFalse: 0, value })

/** Runs `body` only if the loaded word fits. */
const guarded = (code: number, value: number, body: readonly Instruction[]): Instruction[] => [
  { code, jumpTrue: 0, jumpFalse: body.length, value },
  ...body,
]
export const ifEqual = (value: number, body: readonly Instruction[]) => guarded(JUMP_EQUAL, value, body)
export const ifAtLeast = (value: number, body: readonly Instruction[]) => guarded(JUMP_GREATER_OR_EQUAL, value, body)
export const ifAnyBit = (value: number, body: readonly Instruction[]) => guarded(JUMP_ANY_BIT, value, body)

export function unlessEqual(value: number, body: readonly Instruction[]): Instruction[] {
  return [{ code: JUMP_EQUAL, jumpTrue: body.length, jumpFalse: 0, value }, ...body]
}

/** An array of `struct sock_filter`. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES)
  for (const [at, { code, jumpTrue, jumpFalse, value }] of program.entries()) {
    const start = at * INSTRUCTION_BYTES
    bytes.writeUInt16LE(code, start)
    bytes.writeUInt8(jumpTrue, start + 2)
    bytes.writeUInt8(jumpFalse, start + 3)
    bytes.writeUInt32LE(value, start + 4)
  }
  return bytes
}
