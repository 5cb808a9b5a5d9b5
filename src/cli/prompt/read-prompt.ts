import { resolve } from 'node:path'
import { decodeUtf8 } from '../../kit/files/read-file.ts'
import type { Invocation } from '../command.ts'
import { promptMissing, promptTwice } from '../faults.ts'
import { readInput } from '../read-input.ts'

/** More than any agent accepts. */
const PROMPT_LIMIT_BYTES = 16 * 1024 * 1024

/** Reads the text of a prompt from an argument, a file or standard input. */
export async function readPrompt({ args, flags, runtime }: Invocation): Promise<string> {
  const [argument] = args
  const file = flags.text('file')
  if (file !== undefined && argument !== undefined) throw promptTwice({})
  if (argument !== undefined && argument !== '-') return argument
  if (argument === undefined && file === undefined && !runtime.stdin.isPiped()) throw promptMissing({})
  const bytes = await readInput({ runtime, file, limitBytes: PROMPT_LIMIT_BYTES, links: 'follow' })
  return decodeUtf8({ bytes, source: file === undefined ? 'standard input' : resolve(runtime.cwd, file) })
}
