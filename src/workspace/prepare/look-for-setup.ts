/** Looks in a project for what its worktrees need. */
import { join } from 'node:path'
import { tryTo } from '../../kit/fault.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { INPUT_NAMES, type Proposal, propose } from './ecosystems.ts'

/** A lock file may be large, and only manifests are read for words. */
const LIMIT_BYTES = 16 * 1024 * 1024

/** Undefined if nothing was recognised. */
export function lookForSetup(root: string): Proposal | undefined {
  const files = [...INPUT_NAMES].flatMap((name) => {
    const content = readText(join(root, name))
    return content === undefined ? [] : [[name, content] as const]
  })
  return propose(new Map(files))
}

function readText(path: string): string | undefined {
  return tryTo(() => readFileBytes({ path, limitBytes: LIMIT_BYTES }).toString('utf8'))
}
