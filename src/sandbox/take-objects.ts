/** Moves objects that git has written inside to the repository: only those whose content has the name that they claim. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { readFileBytes } from '../kit/files/read-file.ts'
import { randomIds } from '../kit/ids.ts'

const FOLDER = /^[0-9a-f]{2}$/
const NAME = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/
const LIMIT_BYTES = 2 ** 30
const MODE = 0o444

export function takeObjects(from: string, to: string): void {
  for (const folder of readdirSync(from).filter((name) => FOLDER.test(name) && isDirectory(join(from, name)))) {
    for (const name of readdirSync(join(from, folder)).filter((each) => NAME.test(each))) {
      takeObject(join(from, folder, name), { folder: join(to, folder), name, id: folder + name })
      rmSync(join(from, folder, name), { recursive: true, force: true })
    }
  }
}

function takeObject(path: string, target: { folder: string; name: string; id: string }): void {
  const { folder, name, id } = target
  if (existsSync(join(folder, name))) return
  const bytes = readObject(path, id)
  if (bytes === undefined) return
  mkdirSync(folder, { recursive: true })
  const beside = join(folder, `tmp_obj_${randomIds.hex(6)}`)
  writeFileSync(beside, bytes, { flag: 'wx' })
  chmodSync(beside, MODE)
  renameSync(beside, join(folder, name))
}

/** Undefined if it is no plain file, or has another name than its content. */
function readObject(path: string, id: string): Uint8Array | undefined {
  try {
    const bytes = readFileBytes({ path, limitBytes: LIMIT_BYTES })
    const content = inflateSync(bytes, { maxOutputLength: LIMIT_BYTES })
    const digest = createHash(id.length === 40 ? 'sha1' : 'sha256')
      .update(content)
      .digest('hex')
    return digest === id ? bytes : undefined
  } catch {
    return undefined
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path).isDirectory()
}
