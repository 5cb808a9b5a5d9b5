/** Where the text of a prompt comes from: an argument, a file, or standard input. */
import { resolve } from 'node:path'
import { decodeUtf8, readFileText } from '../../kit/files/read-file.ts'
import type { Invocation } from '../command.ts'
import { promptMissing, promptTwice } from '../faults.ts'

/** More than any agent takes. */
const PROMPT_LIMIT_BYTES = 16 * 1024 * 1024

export async function readPrompt({ args, flags, runtime }: Invocation): Promise<string> {
  const [argument] = args
  const file = flags.text('file')
  if (file !== undefined) {
    if (argument !== undefined) throw promptTwice({})
    return readFileText({ path: resolve(runtime.cwd, file), limitBytes: PROMPT_LIMIT_BYTES, links: 'follow' })
  }
  if (argument !== undefined && argument !== '-') return argument
  if (argument === undefined && !runtime.stdin.isFed()) throw promptMissing({})
  return decodeUtf8({ bytes: await runtime.stdin.read(PROMPT_LIMIT_BYTES), source: 'standard input' })
}
