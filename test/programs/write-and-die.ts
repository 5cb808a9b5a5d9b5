/** Writes a file and kills itself right after the nth call of an operation: `<create|replace> <path> <text> <operation> <n>`. */

import { writeSync } from 'node:fs'
import { type Disk, realDisk } from '../../src/kit/files/disk.ts'
import { createFile, replaceFile } from '../../src/kit/files/write-file.ts'

const [verb, path = '', text = '', operation = '', call] = process.argv.slice(2)

// The first write takes only half of the bytes, so that the process can die with a half-written file.
const halving: Disk = {
  ...realDisk,
  writeSync: (descriptor, bytes, offset) =>
    writeSync(descriptor, bytes, offset, offset === 0 ? bytes.length >> 1 : bytes.length - offset),
}

let calls = 0
function dying(name: keyof Disk): (...args: unknown[]) => unknown {
  return (...args) => {
    const result = Reflect.apply(halving[name], halving, args)
    calls += 1
    if (calls === Number(call)) process.kill(process.pid, 'SIGKILL')
    return result
  }
}

const write = verb === 'create' ? createFile : replaceFile
const disk = { ...halving, [operation]: dying(operation as keyof Disk) }
write({ path, bytes: Buffer.from(text), mode: 0o600 }, disk)
